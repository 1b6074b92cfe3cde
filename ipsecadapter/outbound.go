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
	spans    [burstSize]span
	runs     [burstSize]run
	inRuns   int
	coverage coverage
	groups   groups[*OutboundSA]
	result
}

// Protect makes each datagram, an IP packet, an ESP or AH packet of the SA at the same place
// in by, in place: it frames, seals, and moves Off and Len to the whole. The SA's Headroom
// and Tailroom round the packet are enough. Numbers follow the order of the burst; some are
// skipped where packets are refused. It returns how many packets it made. A datagram that already has a cause is passed over;
// one that fails gets one and its content is left as it was. One without an SA is
// DropUnknownSession.
//
// A bundle (RFC 4301 section 4.3), such as AH around ESP, is Protect with the inner SAs
// and then Protect with the outer ones; what the first call refused, the second passes over.
func (o *Outbound) Protect(burst []record.Datagram, by []*OutboundSA) int {
	return o.run(burst, by, false)
}

// ProtectDummies does the same for datagrams whose content means nothing: the receiver
// drops them (RFC 4303 section 2.6). They hide how much traffic there is. A transport-mode
// SA needs addresses for it, and room for an IP header in front. AH has no dummies.
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
	s.coverage.reset()
	s.gather(burst, by)
	s.reserve(dummy)
	n := s.frame(burst, by, dummy)
	s.settle()
	if n != 0 {
		s.finish(burst, n, o.engine.Seal(s.packets[:n]))
	}
	s.groups.reset()
	return o.counters.add(&s.result)
}

// span is datagrams side by side of one SA.
type span struct {
	group uint8 // its place; without meaning where there is no SA
	end   uint8 // in the burst
}

// gather finds the spans, and counts the packets of each SA.
func (s *sealing) gather(burst []record.Datagram, by []*OutboundSA) {
	n := 0
	for i := 0; i < len(by); n++ {
		sa, count := by[i], 0
		for ; i < len(by) && by[i] == sa; i++ {
			if burst[i].Drop == record.DropNone {
				count++
			}
		}
		s.spans[n].end = uint8(i)
		if sa != nil {
			s.spans[n].group = s.groups.find(sa, sa.spi)
			s.groups.list[s.spans[n].group].n += count
		}
	}
}

// reserve takes each SA's numbers, once a burst. Those of packets that are refused later
// are lost.
func (s *sealing) reserve(dummy bool) {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		if g.expired = g.sa.meter.expired(); g.expired {
			continue
		}
		g.first, g.granted, _ = g.sa.sender.Reserve(g.n)
		g.far, g.mtu = g.sa.meter.far(), g.sa.PathMTU()
		g.quick = g.far && g.granted == g.n && !g.sa.unusual && !dummy
		g.longest = g.sa.longestQuick(g.mtu)
	}
}

// frame writes the headers of the datagrams that can be sealed, in front, and says of the
// others why not.
func (s *sealing) frame(burst []record.Datagram, by []*OutboundSA, dummy bool) (n int) {
	in := &s.spans[0]
	for i, next := 0, 1; i < len(burst); i++ {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		if i >= len(by) || by[i] == nil {
			s.drop(d, record.DropUnknownSession)
			continue
		}
		for ; i >= int(in.end); next++ {
			in = &s.spans[next]
		}
		g := &s.groups.list[in.group]
		if g.quick {
			if framed := s.quickRun(g, burst[i:in.end], i, n); framed != 0 {
				i, n = i+framed-1, n+framed
				continue
			}
		}
		if drop := s.frameSlowly(&s.frames[n], g, d, n, dummy); drop != record.DropNone {
			s.drop(d, drop)
			continue
		}
		s.add(run{nil, uint8(i), uint8(n), 1})
		n++
	}
	return n
}

// frameSlowly frames any packet.
func (s *sealing) frameSlowly(f *frame, g *group[*OutboundSA], d *record.Datagram, place int, dummy bool) record.Drop {
	if drop := f.measure(g, d, dummy); drop != record.DropNone {
		return drop
	}
	number, drop := g.number(&g.sa.meter, f.body)
	if drop == record.DropNone {
		if drop = f.write(s, d, place, number); drop != record.DropNone {
			f.undo(d)
		}
	}
	return drop
}

// number takes the group's next number, for a packet of so many bytes. Near the end of its
// lifetime each packet is settled by itself.
func (g *group[SA]) number(meter *meter, bytes int) (number uint64, drop record.Drop) {
	switch {
	case g.expired:
		return 0, record.DropExpired
	case g.granted == 0:
		return 0, record.DropLimit
	case !g.far:
		if !meter.takeOne(uint64(bytes)) {
			return 0, record.DropExpired
		}
	}
	number = g.first
	g.take(1, uint64(bytes))
	return number, record.DropNone
}

// settle takes from the lifetimes what the groups that are far from its end used.
func (s *sealing) settle() {
	for i := range s.groups.list[:s.groups.n] {
		if g := &s.groups.list[i]; g.far && g.used.packets != 0 {
			g.sa.meter.take(g.used.packets, g.used.bytes)
		}
	}
}

// finish makes the datagrams what the engine sealed, which is all of them if sealed is n.
func (s *sealing) finish(burst []record.Datagram, n, sealed int) {
	s.done += sealed
	for i := range s.runs[:s.inRuns] {
		r := &s.runs[i]
		if r.sa != nil {
			s.finishRun(r, burst, sealed == n)
		} else {
			s.finishOne(&s.frames[r.place], &burst[r.position], s.packets[r.place].Status)
		}
	}
	clear(s.runs[:s.inRuns])
	s.inRuns = 0
}

func (s *sealing) finishOne(f *frame, d *record.Datagram, status engine.Status) {
	if drop := record.DropOf(status); drop != record.DropNone {
		s.drop(d, drop)
		f.undo(d)
		return
	}
	s.bytes += uint64(f.header.total)
	f.done(d)
}
