package ipsecadapter

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
)

// Database finds inbound SAs (RFC 4301 section 4.4.2) of ESP and of AH. Looking one up takes no lock and
// any number of goroutines may do it while others add and remove; its cost does not
// grow with the number of SAs.
type Database struct {
	table atomic.Pointer[table]
	mu    sync.Mutex // of those who write
	used  int        // slots that are not empty, those of removed SAs included
	count int
}

// table is open-addressed with linear probing. At most half of its slots are used, so
// that every search ends at an empty one. A slot is written while others read.
type table []atomic.Pointer[InboundSA]

const smallestTable = 16

// NewDatabase makes an empty one.
func NewDatabase() *Database {
	db := new(Database)
	db.table.Store(newTable(smallestTable))
	return db
}

func newTable(size int) *table {
	t := make(table, size)
	return &t
}

func (t table) home(spi uint32) int {
	return int(spi*0x9e3779b1>>8) & (len(t) - 1)
}

func (t table) next(slot int) int { return (slot + 1) & (len(t) - 1) }

// lookup finds the SA for a packet between those addresses, which are nil where nobody saw
// them. Of several it is the one that asks for the most addresses.
func (t table) lookup(p Protocol, spi uint32, between []byte) (best *InboundSA) {
	source, destination := between[:len(between)/2], between[len(between)/2:]
	for slot := t.home(spi); ; slot = t.next(slot) {
		sa := t[slot].Load()
		if sa == nil {
			return best
		}
		if sa.spi == spi && sa.protocol == p && !sa.removed.Load() && (best == nil || sa.match > best.match) && sa.matches(source, destination) {
			best = sa
		}
	}
}

// matches compares a packet's addresses with those that the SA asks for.
func (sa *InboundSA) matches(source, destination []byte) bool {
	switch sa.match {
	case ByAddress:
		return bytes.Equal(sa.destination, destination)
	case ByAddresses:
		return bytes.Equal(sa.destination, destination) && bytes.Equal(sa.source, source)
	}
	return true
}

// Len is how many SAs there are.
func (db *Database) Len() int {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.count
}

// Add makes an SA known. It returns ErrExists if there is one that no packet could be
// told apart by, and an ErrConfig for nil and for an SA that was removed: one comes only once.
func (db *Database) Add(sa *InboundSA) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if sa == nil {
		return &FieldError{"SA", "missing"}
	}
	if sa.removed.Load() {
		return &FieldError{"SA", "was removed before"}
	}
	t := *db.table.Load()
	if t.same(sa) != nil {
		return fmt.Errorf("%w: SPI %#x", ErrExists, sa.spi)
	}
	if 2*(db.used+1) > len(t) {
		t = db.rebuild()
	}
	t.put(sa)
	db.used++
	db.count++
	return nil
}

// same is the SA that has all that sa is found by.
func (t table) same(sa *InboundSA) *InboundSA {
	for slot := t.home(sa.spi); ; slot = t.next(slot) {
		other := t[slot].Load()
		if other == nil {
			return nil
		}
		if other.spi == sa.spi && other.protocol == sa.protocol && other.match == sa.match && !other.removed.Load() &&
			other.matches(sa.source, sa.destination) {
			return other
		}
	}
}

func (t table) put(sa *InboundSA) {
	slot := t.home(sa.spi)
	for t[slot].Load() != nil {
		slot = t.next(slot)
	}
	t[slot].Store(sa)
}

// rebuild leaves the removed SAs behind, and room for as many more as stay.
func (db *Database) rebuild() table {
	size := smallestTable
	for size < 4*(db.count+1) {
		size *= 2
	}
	old, t := *db.table.Load(), newTable(size)
	for slot := range old {
		if sa := old[slot].Load(); sa != nil && !sa.removed.Load() {
			t.put(sa)
		}
	}
	db.used = db.count
	db.table.Store(t)
	return *t
}

// Remove makes an SA unknown and reports whether it was known. Bursts that found it
// before still open packets; Close ends that.
func (db *Database) Remove(sa *InboundSA) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if sa == nil || (*db.table.Load()).same(sa) != sa || sa.removed.Swap(true) {
		return false
	}
	db.count--
	if db.used > smallestTable && db.used > 4*db.count {
		db.rebuild()
	}
	return true
}

// Lookup finds the SA of ESP with a SPI among those that ask for no address, or nil.
func (db *Database) Lookup(spi uint32) *InboundSA {
	return (*db.table.Load()).lookup(ESP, spi, nil)
}

// LookupAH finds the SA of AH with a SPI among those that ask for no address, or nil.
func (db *Database) LookupAH(spi uint32) *InboundSA {
	return (*db.table.Load()).lookup(AH, spi, nil)
}
