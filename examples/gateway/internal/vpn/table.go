package vpn

import (
	"maps"
	"net/netip"
	"sync"
	"sync/atomic"
)

// table finds the session behind an inner address. Looking up takes no lock: each
// change makes a new map.
type table struct {
	mu      sync.Mutex // of those that change it
	current atomic.Pointer[map[netip.Addr]*session]
}

func newTable() *table {
	t := &table{}
	t.current.Store(&map[netip.Addr]*session{})
	return t
}

// find is the session behind an address, or nil.
func (t *table) find(addr netip.Addr) *session { return (*t.current.Load())[addr] }

// set puts a session behind an address and returns the one that was there.
func (t *table) set(addr netip.Addr, s *session) (before *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := maps.Clone(*t.current.Load())
	before, next[addr] = next[addr], s
	t.current.Store(&next)
	return before
}

// remove takes a session out, unless another one has replaced it.
func (t *table) remove(addr netip.Addr, s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if (*t.current.Load())[addr] != s {
		return
	}
	next := maps.Clone(*t.current.Load())
	delete(next, addr)
	t.current.Store(&next)
}
