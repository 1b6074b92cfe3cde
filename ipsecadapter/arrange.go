package ipsecadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// arrange orders the arrivals by SA, each SA's in the order of the burst. They are so where
// the packets of each SA came side by side.
func (s *opening) arrange(n int) {
	start := 0
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		g.start = start
		start += g.n
	}
	if s.turns != s.groups.n {
		s.reorder(n)
		return
	}
	same := ciphers.Identity(n)
	copy(s.order[:], same)
	copy(s.slots[:], same)
}

// reorder does it for SAs that take turns.
func (s *opening) reorder(n int) {
	var next [burstSize]uint8
	for i := range s.groups.list[:s.groups.n] {
		next[i] = uint8(s.groups.list[i].start)
	}
	for i := range s.runs[:s.inRuns] {
		r := &s.runs[i]
		for place := r.place; place < r.place+r.n; place++ {
			s.slots[place] = next[r.group]
			next[r.group]++
		}
	}
	burst := s.arrivals
	for place, at := range s.slots[:n] {
		s.arrivals[at], s.order[at] = burst[place], uint8(place)
	}
}

// arrived are the arrivals of one SA.
func (s *opening) arrived(g *group[*InboundSA]) []record.Arrival {
	return s.arrivals[g.start : g.start+g.n]
}

// look spares what is replayed, with one lock an SA, and returns how many are left.
func (s *opening) look() (left int) {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		left += g.sa.receiver.Look(s.arrived(g))
	}
	return left
}

// settle moves the replay windows, and takes what was accepted from the lifetimes. It returns
// how much that is in all.
func (s *opening) settle() (all int) {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		fresh := g.sa.receiver.Settle(s.arrived(g))
		all += fresh
		g.sa.stray.settle(fresh, s.arrived(g))
		if fresh != g.n {
			g.bytes = s.accepted(g)
		}
		if fresh != 0 {
			g.used.packets, g.used.bytes = g.sa.meter.take(uint64(fresh), g.bytes)
			g.far = g.sa.meter.within(g.used.packets+uint64(fresh), g.used.bytes+g.bytes)
		}
	}
	return all
}

// accepted is how many bytes of the group were found authentic and fresh.
func (s *opening) accepted(g *group[*InboundSA]) (bytes uint64) {
	for at := g.start; at < g.start+g.n; at++ {
		if s.arrivals[at].Drop == record.DropNone {
			bytes += uint64(s.bodies[s.order[at]])
		}
	}
	return bytes
}
