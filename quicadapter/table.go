package quicadapter

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Table finds connections by the destination connection IDs of packets. Any number of
// goroutines may use it. An Inbound remembers what it found; its bursts take the lock only
// for IDs that are new to it, and after changes.
type Table struct {
	size int
	mask idMask

	state   atomic.Uint64 // counts changes of what an Inbound may remember, which is no absent ID
	mu      sync.RWMutex
	conns   map[idKey]*Conn
	greased bool // packets whose fixed bit is 0 are good
}

// NewTable makes a table for short headers whose connection IDs have idSize bytes, 0 to
// MaxConnectionID. With 0 there can be one connection. Long headers say how long theirs
// are, so that IDs of other lengths can be added for them.
func NewTable(idSize int) (*Table, error) {
	if idSize < 0 || idSize > MaxConnectionID {
		return nil, fmt.Errorf("%w: idSize %d is not 0 to %d", ErrConfig, idSize, MaxConnectionID)
	}
	return &Table{size: idSize, mask: maskOf(idSize), conns: map[idKey]*Conn{}}, nil
}

// Add enters a connection under one more ID of its own. An ID that is taken is refused.
func (t *Table) Add(id []byte, c *Conn) error {
	if len(id) > MaxConnectionID || c == nil {
		return fmt.Errorf("%w: an ID of %d bytes, or no connection", ErrConfig, len(id))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := keyOf(id)
	if t.conns[key] != nil {
		return fmt.Errorf("%w: the connection ID is taken", ErrConfig)
	}
	t.conns[key] = c
	return nil
}

// AcceptGreased makes packets good whose fixed bit is 0, as they must be for who announced
// grease_quic_bit to its peers (RFC 9287 section 3).
func (t *Table) AcceptGreased() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.greased = true
	t.state.Add(1)
}

// Remove takes an ID out. An Inbound may hold on to the connection until its next burst,
// which does not find it.
func (t *Table) Remove(id []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(id) <= MaxConnectionID {
		delete(t.conns, keyOf(id))
		t.state.Add(1)
	}
}

// finder looks IDs up for an Inbound, and remembers some that it found, as long as the table
// stays as it is: map and lock take longer than all the rest that is done to find out whose
// a packet is.
type finder struct {
	table   *Table
	locked  bool   // by this finder, for the rest of its burst
	state   uint64 // of the table that the following is from
	greased bool
	found   [rememberedIDs]owner
}

const rememberedIDs = 64

// owner is a connection with an ID of its own.
type owner struct {
	id   idKey
	conn *Conn
}

// begin forgets, before a burst, what comes from a table that has changed.
func (f *finder) begin() {
	if f.state == f.table.state.Load() {
		return
	}
	f.lock()
	f.state, f.greased = f.table.state.Load(), f.table.greased
	clear(f.found[:])
}

func (f *finder) lock() {
	if !f.locked {
		f.table.mu.RLock()
		f.locked = true
	}
}

// end is called after a burst.
func (f *finder) end() {
	if f.locked {
		f.table.mu.RUnlock()
		f.locked = false
	}
}

// find finds the connection that has an ID, or nil.
func (f *finder) find(id []byte) *Conn {
	if len(id) > MaxConnectionID {
		return nil
	}
	return f.look(keyOf(id))
}

func (f *finder) look(id idKey) *Conn {
	o := &f.found[id.hash()%rememberedIDs]
	if o.conn == nil || o.id != id {
		f.lock()
		c := f.table.conns[id]
		if c == nil {
			return nil
		}
		*o = owner{id, c}
	}
	return o.conn
}
