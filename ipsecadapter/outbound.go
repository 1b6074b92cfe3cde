package ipsecadapter

import (
	"sync"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Outbound seals packets under any number of SAs. Any number of goroutines may use it
// at once.
type Outbound struct {
	engine   *engine.Engine
	counters counters
	pool     sync.Pool // of *sealing
}

// NewOutbound makes the sending side of an engine. Its SAs must be of the same engine.
func NewOutbound(e *engine.Engine) *Outbound {
	return &Outbound{engine: e, pool: sync.Pool{New: func() any { return new(sealing) }}}
}

// Stats are the counters since the Outbound was made.
func (o *Outbound) Stats() Flow { return o.counters.snapshot() }

// sealing is the scratch of one burst that is sealed.
type sealing struct {
	packets  [burstSize]engine.Packet
	prefixes [burstSize][prefixSize]byte
	frames   [burstSize]frame
	groups   groups[*OutboundSA]
	tally    record.Tally
	bytes    uint64
}

// Protect makes each datagram, an IP packet, an ESP packet of the SA at the same place
// in by, in place: it frames, seals, and moves Off and Len to the whole. The SA's Headroom
// and Tailroom round the packet are enough. Numbers follow the order of the burst. It
// returns how many packets it made. A datagram that already has a cause is passed over;
// one that fails gets one and its content is left as it was. One without an SA is
// DropUnknownSession.
func (o *Outbound) Protect(burst []record.Datagram, by []*OutboundSA) int {
	return o.run(burst, by, false)
}

// ProtectDummies does the same for datagrams whose content means nothing: the receiver
// drops them (RFC 4303 section 2.6). They hide how much traffic there is. A transport-mode
// SA needs addresses for it, and room for an IP header in front.
func (o *Outbound) ProtectDummies(burst []record.Datagram, by []*OutboundSA) int {
	return o.run(burst, by, true)
}

func (o *Outbound) run(burst []record.Datagram, by []*OutboundSA, dummy bool) (done int) {
	s := o.pool.Get().(*sealing)
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		done += o.protect(s, burst[:n], by[:min(n, len(by))], dummy)
		burst, by = burst[n:], by[min(n, len(by)):]
	}
	o.pool.Put(s)
	return done
}

func (o *Outbound) protect(s *sealing, burst []record.Datagram, by []*OutboundSA, dummy bool) int {
	s.tally, s.bytes = record.Tally{}, 0
	n := s.admit(burst, by, dummy)
	s.reserve()
	n = s.frame(burst, n)
	if n != 0 {
		o.engine.Seal(s.packets[:n])
		s.finish(burst, n)
	}
	s.groups.reset()
	done := int(s.tally[record.DropNone])
	o.counters.add(s.bytes, &s.tally)
	return done
}

// admit measures the datagrams that can be sealed and says of the others why not.
func (s *sealing) admit(burst []record.Datagram, by []*OutboundSA, dummy bool) (n int) {
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		if i >= len(by) || by[i] == nil {
			d.Drop = record.DropUnknownSession
		} else {
			d.Drop = s.frames[n].measure(by[i], d, dummy)
		}
		if d.Drop != record.DropNone {
			s.tally[d.Drop]++
			continue
		}
		f := &s.frames[n]
		f.position, f.group = uint8(i), s.groups.of(by[i], by[i].spi)
		g := &s.groups.list[f.group]
		g.n++
		g.bytes += uint64(f.body)
		n++
	}
	return n
}

// reserve takes each SA's share of its lifetime and of its numbers, once a burst.
func (s *sealing) reserve() {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		if g.expired = g.sa.meter.expired(); g.expired {
			continue
		}
		g.used.packets, g.used.bytes = g.sa.meter.take(uint64(g.n), g.bytes)
		g.first, g.granted, _ = g.sa.sender.Reserve(g.n)
	}
}

// frame writes the headers of what has a number and a lifetime, and closes the gaps
// that the others leave.
func (s *sealing) frame(burst []record.Datagram, n int) (kept int) {
	for i := range s.frames[:n] {
		f := &s.frames[i]
		d := &burst[f.position]
		number, drop := f.number(&s.groups.list[f.group])
		if drop != record.DropNone {
			d.Drop = drop
			s.tally[drop]++
			continue
		}
		f.write(d, &s.packets[kept], &s.prefixes[kept], number)
		if kept != i {
			s.frames[kept] = *f
		}
		kept++
	}
	return kept
}

// number takes the next number of the group.
func (f *frame) number(g *group[*OutboundSA]) (number uint64, drop record.Drop) {
	g.used.packets++
	g.used.bytes += uint64(f.body)
	switch {
	case g.expired || !g.sa.meter.within(g.used.packets, g.used.bytes):
		return 0, record.DropExpired
	case g.granted == 0:
		return 0, record.DropLimit
	}
	g.granted--
	number = g.first
	g.first++
	return number, record.DropNone
}

func (s *sealing) finish(burst []record.Datagram, n int) {
	for i := range s.packets[:n] {
		f := &s.frames[i]
		d := &burst[f.position]
		d.Drop = record.DropOf(s.packets[i].Status)
		s.tally[d.Drop]++
		if d.Drop != record.DropNone {
			f.undo(d)
			continue
		}
		s.bytes += uint64(f.inner.total)
		f.done(d)
	}
}
