package ethernet

import (
	"net/netip"
	"sync"
	"sync/atomic"
)

// maxNeighbours bounds what strangers can make a host remember.
const maxNeighbours = 1 << 14

// Neighbour is where an IP address of the network lives, once that is known. Any
// number of goroutines may use it.
type Neighbour struct {
	address netip.Addr
	mac     atomic.Uint64 // in the low 48 bits, with known above; 0 while it is not known
	asked   atomic.Int64  // when it was last asked for, in nanoseconds of the caller's clock
	wanted  atomic.Bool   // somebody sends to it
}

const known = 1 << 63

// MAC is the neighbour's hardware address, and false while nobody has told it.
func (n *Neighbour) MAC() (MAC, bool) {
	v := n.mac.Load()
	return macOf(v), v&known != 0
}

func (n *Neighbour) set(m MAC) {
	if v := m.number() | known; n.mac.Load() != v {
		n.mac.Store(v)
	}
}

// neighbours are those of a host. Finding one takes no lock. Each change copies a
// shard, so that what it costs does not grow to a pause.
type neighbours struct {
	mu     sync.Mutex // of those that change it
	count  int
	shards [256]atomic.Pointer[map[netip.Addr]*Neighbour]
}

func (t *neighbours) shard(a netip.Addr) *atomic.Pointer[map[netip.Addr]*Neighbour] {
	b := a.As16()
	return &t.shards[b[15]^b[13]]
}

// find is the neighbour with that address, or nil.
func (t *neighbours) find(a netip.Addr) *Neighbour {
	m := t.shard(a).Load()
	if m == nil {
		return nil
	}
	return (*m)[a]
}

// at is the neighbour with that address, a new one if there is none yet, and nil when
// there are too many.
func (t *neighbours) at(a netip.Addr) *Neighbour {
	if n := t.find(a); n != nil {
		return n
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.find(a); n != nil || t.count == maxNeighbours {
		return n
	}
	n := &Neighbour{address: a}
	next := map[netip.Addr]*Neighbour{a: n}
	if old := t.shard(a).Load(); old != nil {
		for address, neighbour := range *old {
			next[address] = neighbour
		}
	}
	t.shard(a).Store(&next)
	t.count++
	return n
}
