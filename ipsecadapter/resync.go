package ipsecadapter

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// When 2^32 packets of an SA with extended numbers are lost in a row, the high half that
// is recovered for the next ones is wrong, and they fail authentication. Then one packet
// out of many is tried under the halves that follow (RFC 4303 appendix A3).
const (
	strayAfter = 64 // failures in a row between two attempts
	strayReach = 8  // high halves that an attempt tries
)

// stray counts the packets of an SA that failed authentication in a row. Forgers can have
// strayReach packets tried for strayAfter that they send, which is all that it costs.
type stray struct {
	watched bool // the SA has extended numbers
	failed  atomic.Uint32
}

// settle counts what failed in a burst, until something authentic comes.
func (s *stray) settle(fresh int, arrivals []record.Arrival) {
	if !s.watched || fresh == len(arrivals) && s.failed.Load() == 0 {
		return
	}
	if fresh != 0 {
		s.failed.Store(0)
		return
	}
	n := uint32(0)
	for i := range arrivals {
		if arrivals[i].Drop == record.DropUnauthentic {
			n++
		}
	}
	s.failed.Add(n)
}

// isAstray reports whether an attempt may be due.
func (s *stray) isAstray() bool { return s.watched && s.failed.Load() >= strayAfter }

// due reports whether there is an attempt to be made, and begins to count for the next.
func (s *stray) due() bool {
	n := s.failed.Load()
	return n >= strayAfter && s.failed.CompareAndSwap(n, 0)
}

// resynchronise looks in the burst for SAs that are due, and recovers the numbers of those
// that it finds anew. The windows move when the packets are opened.
func (in *Inbound) resynchronise(s *opening, burst []record.Datagram) {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		if !g.astray || !g.sa.stray.due() {
			continue
		}
		if number, found := in.search(s, g, burst); found {
			for at := g.start; at < g.start+g.n; at++ {
				s.arrivals[at] = g.sa.arrival(s.located[s.order[at]].low, number)
			}
		}
	}
}

// positionOf is where in the burst the packet at a place is.
func (s *opening) positionOf(place uint8) uint8 {
	i := 0
	for place >= s.runs[i].place+s.runs[i].n {
		i++
	}
	return s.runs[i].position + place - s.runs[i].place
}

// search tries the first packet of the group that is left to open.
func (in *Inbound) search(s *opening, g *group[*InboundSA], burst []record.Datagram) (number uint64, found bool) {
	for at := g.start; at < g.start+g.n; at++ {
		if s.arrivals[at].Drop == record.DropNone {
			place := s.order[at]
			return in.try(&s.located[place], burst[s.positionOf(place)].Content(), s.arrivals[at].Number)
		}
	}
	return 0, false
}

// try opens a packet, elsewhere, under the high halves that follow the one of its number.
func (in *Inbound) try(l *located, b []byte, number uint64) (right uint64, found bool) {
	plain, packets, prefix, c := make([]byte, l.body), make([]engine.Packet, 1), new([prefixSize]byte), new(coverage)
	for range strayReach {
		number += 1 << 32
		if number < 1<<32 {
			return 0, false
		}
		c.reset()
		if l.describe(&packets[0], prefix, c, b, number) != record.DropNone {
			return 0, false
		}
		packets[0].Plain = plain
		if in.engine.Open(packets) == 1 {
			clear(plain)
			return number, true
		}
	}
	return 0, false
}

// arrival recovers the whole number. Numbers begin at 1 (RFC 4303 section 2.2).
func (sa *InboundSA) arrival(low uint32, highest uint64) record.Arrival {
	number := sa.whole(low, highest)
	if number == 0 && !sa.noReplay {
		return record.Arrival{Drop: record.DropTooOld}
	}
	return record.Arrival{Number: number}
}

func (sa *InboundSA) whole(low uint32, highest uint64) uint64 {
	if sa.esn {
		return pnum.ESN(low, highest, sa.window32())
	}
	return uint64(low)
}
