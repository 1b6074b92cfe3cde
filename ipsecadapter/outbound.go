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

// NewOutbound makes the sending side of an engine, which must not be nil. Its SAs must be of
// the same engine; packets of others are DropFailed.
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
	inSpans  int
	runs     [burstSize]run
	inRuns   int
	odd      bool // there is a run to be finished one by one
	coverage coverage
	groups   groups[*OutboundSA]
	result
}

// Protect makes each datagram, an IP packet, an ESP or AH packet of the SA at the same place
// in by, in place: it frames, seals, and moves Off and Len to the whole. The SA's Headroom
// and Tailroom round the packet are enough. Numbers follow the order of the burst; some are
// skipped where packets are refused. It returns how many packets it made. A datagram that
// already has a cause is passed over; one that fails gets one and its content is left as it
// was. One without an SA is DropUnknownSession.
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

// ProtectUnder is Protect for datagrams that are all for one SA, which is found and counted
// once.
func (o *Outbound) ProtectUnder(burst []record.Datagram, sa *OutboundSA) (done int) {
	s := o.pool.Get().(*sealing)
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		s.gatherUnder(burst[:n], sa)
		done += o.protect(s, burst[:n], false)
		burst = burst[n:]
	}
	o.pool.Put(s)
	return done
}

func (o *Outbound) run(burst []record.Datagram, by []*OutboundSA, dummy bool) (done int) {
	s := o.pool.Get().(*sealing)
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		s.gather(burst[:n], by[:min(n, len(by))])
		done += o.protect(s, burst[:n], dummy)
		burst, by = burst[n:], by[min(n, len(by)):]
	}
	o.pool.Put(s)
	return done
}

// protect makes packets of what is gathered.
func (o *Outbound) protect(s *sealing, burst []record.Datagram, dummy bool) int {
	s.coverage.reset()
	s.reserve(dummy)
	n := s.frame(burst, dummy)
	s.settle()
	if n != 0 {
		s.finish(burst, n, o.engine.Seal(s.packets[:n]))
	}
	s.groups.reset()
	return o.counters.add(&s.result)
}

// span is datagrams side by side of one SA.
type span struct {
	end   uint8 // in the burst
	group uint8 // its place
	none  bool  // they have no SA
}

// gather finds the spans, and counts the packets of each SA.
func (s *sealing) gather(burst []record.Datagram, by []*OutboundSA) {
	s.inSpans = 0
	for i := 0; i < len(by); {
		sa, n := by[i], 0
		for ; i < len(by) && by[i] == sa; i++ {
			if burst[i].Drop == record.DropNone {
				n++
			}
		}
		s.span(sa, n, i)
	}
	if len(by) < len(burst) {
		s.span(nil, 0, len(burst))
	}
}

// gatherUnder does so where there is one SA.
func (s *sealing) gatherUnder(burst []record.Datagram, sa *OutboundSA) {
	s.inSpans = 0
	s.span(sa, whole(burst), len(burst))
}

// whole is how many datagrams have no cause. Most often all have none, so that four are
// looked at in one.
func whole(burst []record.Datagram) (n int) {
	rest := burst
	for ; len(rest) >= 4; rest = rest[4:] {
		if rest[0].Drop|rest[1].Drop|rest[2].Drop|rest[3].Drop != record.DropNone {
			break
		}
		n += 4
	}
	for i := range rest {
		if rest[i].Drop == record.DropNone {
			n++
		}
	}
	return n
}

// span adds datagrams of one SA, or of none, up to an end in the burst, n of them to be sealed.
func (s *sealing) span(sa *OutboundSA, n, end int) {
	in := &s.spans[s.inSpans]
	s.inSpans++
	if in.end, in.none = uint8(end), sa == nil; sa != nil {
		in.group = s.groups.find(sa, sa.spi)
		s.groups.list[in.group].n += n
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
func (s *sealing) frame(burst []record.Datagram, dummy bool) (n int) {
	start := 0
	for i := range s.spans[:s.inSpans] {
		in := &s.spans[i]
		end := int(in.end)
		if in.none {
			s.refuse(burst[start:end])
		} else {
			framed := 0
			if g := &s.groups.list[in.group]; g.quick && g.sa.simple {
				framed = s.frameSimple(in.group, burst[start:end], start, n)
			}
			if n += framed; start+framed != end {
				n = s.frameSpan(in.group, burst[:end], start+framed, n, dummy)
			}
		}
		start = end
	}
	return n
}

// refuse says of datagrams that they have no SA.
func (s *sealing) refuse(burst []record.Datagram) {
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			s.drop(&burst[i], record.DropUnknownSession)
		}
	}
}

// frameSpan frames the datagrams of one SA, which end the burst and begin at start. n counts
// what is framed, before and then with them.
func (s *sealing) frameSpan(group uint8, burst []record.Datagram, start, n int, dummy bool) int {
	g := &s.groups.list[group]
	for i := start; i < len(burst); i++ {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		if g.quick {
			if framed := s.quickRun(group, burst[i:], i, n); framed != 0 {
				i, n = i+framed-1, n+framed
				continue
			}
		}
		if drop := s.frameSlowly(&s.frames[n], g, d, n, dummy); drop != record.DropNone {
			s.drop(d, drop)
			continue
		}
		s.add(group, i, n, 1, true)
		s.odd = true
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
			g.granted-- // its number was not skipped: the packet counts
			return 0, record.DropExpired
		}
	}
	number = g.first
	g.take(1, uint64(bytes))
	return number, record.DropNone
}

// settle counts what the SAs' packets used.
func (s *sealing) settle() {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		g.sa.settle(g.used, g.granted, g.far)
	}
}

// finish makes the datagrams what the engine sealed, which is all of them if sealed is n.
func (s *sealing) finish(burst []record.Datagram, n, sealed int) {
	s.done += sealed
	if sealed != n || s.odd {
		s.finishRuns(burst)
	}
	s.inRuns, s.odd = 0, false
}

func (s *sealing) finishRuns(burst []record.Datagram) {
	for i := range s.runs[:s.inRuns] {
		r := &s.runs[i]
		if r.slow {
			s.finishOne(&s.frames[r.place], &burst[r.position], s.packets[r.place].Status)
		} else {
			s.finishRun(r, burst)
		}
	}
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
