package dataplane

import "github.com/sealburst/sealburst/examples/gateway/internal/ethernet"

// Protocol is what protects packets, as one worker has it. It works on the frames of a
// burst that have no cause, which it leaves IP packets.
type Protocol interface {
	// Route finds for each plain packet how it is to be protected and, in hops, which
	// neighbour on the protected side gets it. With one, all packets of the burst are for one
	// address and none has a cause; it may then return the neighbour of all instead.
	Route(b *ethernet.Burst, hops *Hops, one bool) *ethernet.Neighbour
	// Seal protects the packets that Route found and returns how many it could.
	Seal(b *ethernet.Burst) int
	// InnerMTU is the longest packet that would have fitted where packet i of the last
	// burst was too long for the path.
	InnerMTU(i int) int
	// Open makes protected packets plain ones. What it hands to others it moves aside, with
	// a cause.
	Open(b, aside *ethernet.Burst)
	// Tend is called between bursts. What it puts into b, IP packets of the gateway's own for
	// the protected side, is sent; hops are theirs.
	Tend(b *ethernet.Burst, hops *Hops, q ethernet.Queue)
}

// Hops are the neighbours that the frames of a burst go to, nil for none.
type Hops [ethernet.MaxBurst]*ethernet.Neighbour
