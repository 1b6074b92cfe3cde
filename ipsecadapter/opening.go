package ipsecadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// opening is the scratch of one burst that is opened. What is admitted has a place, in the
// order of the burst.
type opening struct {
	packets  [burstSize]engine.Packet
	prefixes [burstSize][prefixSize]byte
	located  [burstSize]located        // by place; not of what goes the quick way
	bodies   [burstSize]uint16         // by place: length of payload, padding and trailer
	arrivals [burstSize]record.Arrival // ordered by SA
	order    [burstSize]uint8          // the place of each arrival
	slots    [burstSize]uint8          // which arrival each place is
	sealed   [burstSize]uint8          // the place of each packet for the engine
	runs     [burstSize]arrived
	inRuns   int
	turns    int  // how often the SA changes from one run to the next, and 1
	slow     bool // there is a run of the other way
	clean    bool // all of the burst that has a place is authentic and fresh
	coverage coverage
	groups   groups[*InboundSA]
	result
}

// arrived is what of a burst was admitted together: datagrams side by side of one SA by the
// quick way, or one by the other.
type arrived struct {
	group    uint8
	position uint8 // of the first in the burst
	place    uint8 // of the first
	n        uint8
	marks    byte // the outer headers' DSCP and ECN, all together
	quick    bool
}

// reset forgets the burst.
func (s *opening) reset() {
	s.groups.reset()
	s.inRuns, s.turns, s.slow = 0, 0, false
}

// describe hands to the engine what is left after the look, and returns how many packets
// that is. Those of the quick way are described already, and move up where one in front of
// them is not left.
func (s *opening) describe(burst []record.Datagram, n, left int) (k int) {
	if left == n && !s.slow {
		copy(s.sealed[:n], ciphers.Identity(n))
		return n
	}
	for i := range s.runs[:s.inRuns] {
		r := &s.runs[i]
		for place := int(r.place); place < int(r.place+r.n); place++ {
			a := &s.arrivals[s.slots[place]]
			if a.Drop != record.DropNone {
				continue
			}
			if r.quick {
				s.move(k, place)
			} else if a.Drop = s.describeSlowly(k, place, burst[r.position].Content(), a.Number); a.Drop != record.DropNone {
				continue
			}
			s.sealed[k] = uint8(place)
			k++
		}
	}
	return k
}

// move makes a packet's descriptor that of another place, with a prefix of its own.
func (s *opening) move(to, from int) {
	if to == from {
		return
	}
	p := &s.packets[to]
	*p = s.packets[from]
	if p.Prefix != nil {
		s.prefixes[to] = s.prefixes[from]
		p.Prefix = s.prefixes[to][:]
	}
}

func (s *opening) describeSlowly(k, place int, b []byte, number uint64) record.Drop {
	return s.located[place].describe(&s.packets[k], &s.prefixes[k], &s.coverage, b, number)
}

// judge takes what the engine says of its packets.
func (s *opening) judge(k int) {
	for i := range s.packets[:k] {
		s.arrivals[s.slots[s.sealed[i]]].Drop = record.DropOf(s.packets[i].Status)
	}
}
