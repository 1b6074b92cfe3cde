package ipsecadapter

// burstSize is the most packets that go to the engine in one call. Longer bursts go in
// pieces.
const burstSize = 64

// group is what one burst has for one SA.
type group[SA comparable] struct {
	sa      SA
	n       int // packets
	start   int // where the group's begin, once they are ordered
	bytes   uint64
	first   uint64 // the next number reserved
	granted int    // how many are left
	mtu     int    // of the path; 0 means unknown
	expired bool   // before the burst
	far     bool   // from the end of the lifetime; inbound, the burst is within it
	quick   bool   // the quick way may serve
	astray  bool   // inbound: the numbers may have to be found again
	longest int    // the longest packet that it takes
	used    usage  // of the lifetime, up to the packet at hand
}

type usage struct{ packets, bytes uint64 }

// groups finds the group of an SA in a burst, in a table that is open at half.
type groups[SA comparable] struct {
	slots [2 * burstSize]uint8 // a place in list, plus 1
	list  [burstSize]group[SA]
	n     int
}

// find returns the place of the SA's group, a new one at its first packet.
func (g *groups[SA]) find(sa SA, spi uint32) uint8 {
	at := spi * 0x9e3779b1 >> 25
	for g.slots[at] != 0 {
		if place := g.slots[at] - 1; g.list[place].sa == sa {
			return place
		}
		at = (at + 1) % uint32(len(g.slots))
	}
	g.list[g.n].sa = sa // which reset left empty
	g.n++
	g.slots[at] = uint8(g.n)
	return uint8(g.n - 1)
}

// reset forgets the burst, and with it the SAs.
func (g *groups[SA]) reset() {
	clear(g.list[:g.n])
	clear(g.slots[:])
	g.n = 0
}
