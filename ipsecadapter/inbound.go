package ipsecadapter

import (
	"sync"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// InboundOptions say how packets arrive. The zero value takes IP packets with ESP in
// them or in UDP on NATTPort.
type InboundOptions struct {
	Socket bool   // datagrams are payloads of a UDP socket, for SAs InSocket
	Port   uint16 // where ESP in UDP arrives; 0 means NATTPort
}

// Inbound opens packets of any number of SAs. Any number of goroutines may use it at
// once.
type Inbound struct {
	engine   *engine.Engine
	db       *Database
	options  InboundOptions
	port     uint16
	counters counters
	pool     sync.Pool // of *opening
}

// NewInbound makes a receiving side of an engine, whose SAs are found in db.
func NewInbound(e *engine.Engine, db *Database, options InboundOptions) *Inbound {
	return &Inbound{engine: e, db: db, options: options, port: portOr(options.Port),
		pool: sync.Pool{New: func() any { return new(opening) }}}
}

// Stats are the counters since the Inbound was made.
func (in *Inbound) Stats() Flow { return in.counters.snapshot() }

// opening is the scratch of one burst that is opened.
type opening struct {
	packets  [burstSize]engine.Packet
	prefixes [burstSize][prefixSize]byte
	located  [burstSize]located
	arrivals [burstSize]record.Arrival // ordered by SA
	order    [burstSize]uint8          // which of located each arrival is
	sealed   [burstSize]uint8          // which arrival each packet is
	groups   groups[*InboundSA]
	tally    record.Tally
	bytes    uint64
}

// Unprotect opens each datagram in place and moves Off and Len to the IP packet that it
// carried. It returns how many came through; the others get a cause. Messages of IKE,
// keepalives and what is no ESP are left as they were, with DropIKE, DropKeepalive and
// DropType; of what could not be used after it was opened, the content means nothing. A
// datagram that already has a cause is passed over.
//
// by takes the SA that each datagram belongs to, nil where none was found; it may be
// shorter than the burst, and nil.
func (in *Inbound) Unprotect(burst []record.Datagram, by []*InboundSA) (done int) {
	s := in.pool.Get().(*opening)
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		done += in.unprotect(s, burst[:n], by[:min(n, len(by))])
		burst, by = burst[n:], by[min(n, len(by)):]
	}
	in.pool.Put(s)
	return done
}

func (in *Inbound) unprotect(s *opening, burst []record.Datagram, by []*InboundSA) int {
	s.tally, s.bytes = record.Tally{}, 0
	clear(by)
	n := in.admit(s, burst, by)
	s.arrange(n)
	s.look()
	if k := s.describe(burst, n); k != 0 {
		in.engine.Open(s.packets[:k])
		s.judge(k)
	}
	s.settle()
	s.finish(burst, n)
	s.groups.reset()
	done := int(s.tally[record.DropNone])
	in.counters.add(s.bytes, &s.tally)
	return done
}

// admit finds ESP and SA of each datagram, and says where there is none.
func (in *Inbound) admit(s *opening, burst []record.Datagram, by []*InboundSA) (n int) {
	sas := *in.db.table.Load()
	for i := range burst {
		d, l := &burst[i], &s.located[n]
		if d.Drop != record.DropNone {
			continue
		}
		if d.Drop = in.locate(l, d); d.Drop == record.DropNone {
			d.Drop = l.assign(sas, d.Content())
		}
		if i < len(by) {
			by[i] = l.sa
		}
		if d.Drop != record.DropNone {
			s.tally[d.Drop]++
			continue
		}
		l.position, l.group = uint8(i), s.groups.of(l.sa, l.spi)
		s.groups.list[l.group].n++
		n++
	}
	return n
}

// arrange orders the arrivals by SA, each SA's in the order of the burst, and
// recovers their numbers.
func (s *opening) arrange(n int) {
	var next [burstSize]int
	start := 0
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		g.start, next[i] = start, start
		start += g.n
		if g.sa.esn {
			g.first, _ = g.sa.receiver.Highest()
		}
	}
	for i := range s.located[:n] {
		l := &s.located[i]
		at := next[l.group]
		next[l.group]++
		s.order[at] = uint8(i)
		s.arrivals[at] = l.sa.arrival(l.low, s.groups.list[l.group].first)
	}
}

// arrival recovers the whole number. Numbers begin at 1 (RFC 4303 section 2.2).
func (sa *InboundSA) arrival(low uint32, highest uint64) record.Arrival {
	number := uint64(low)
	if sa.esn {
		number = pnum.ESN(low, highest, sa.window32())
	}
	if number == 0 && !sa.noReplay {
		return record.Arrival{Drop: record.DropTooOld}
	}
	return record.Arrival{Number: number}
}

// arrived are the arrivals of one SA.
func (s *opening) arrived(g *group[*InboundSA]) []record.Arrival {
	return s.arrivals[g.start : g.start+g.n]
}

// look spares what is replayed, with one lock an SA.
func (s *opening) look() {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		g.sa.receiver.Look(s.arrived(g))
	}
}

// describe hands what is left to the engine.
func (s *opening) describe(burst []record.Datagram, n int) (k int) {
	for at, which := range s.order[:n] {
		if s.arrivals[at].Drop != record.DropNone {
			continue
		}
		l := &s.located[which]
		esp := burst[l.position].Content()[l.esp:l.end:l.end]
		l.sa.describe(&s.packets[k], &s.prefixes[k], esp, s.arrivals[at].Number, l.body)
		s.sealed[k] = uint8(at)
		k++
	}
	return k
}

func (s *opening) judge(k int) {
	for i := range s.packets[:k] {
		s.arrivals[s.sealed[i]].Drop = record.DropOf(s.packets[i].Status)
	}
}

// settle moves the replay windows, and takes what was accepted from the lifetimes.
func (s *opening) settle() {
	for i := range s.groups.list[:s.groups.n] {
		g := &s.groups.list[i]
		fresh := g.sa.receiver.Settle(s.arrived(g))
		for at := g.start; at < g.start+g.n; at++ {
			if s.arrivals[at].Drop == record.DropNone {
				g.bytes += uint64(s.located[s.order[at]].body)
			}
		}
		if fresh != 0 {
			g.used.packets, g.used.bytes = g.sa.meter.take(uint64(fresh), g.bytes)
		}
	}
}

// finish delivers, and counts.
func (s *opening) finish(burst []record.Datagram, n int) {
	for at, which := range s.order[:n] {
		l := &s.located[which]
		d := &burst[l.position]
		d.Drop = s.arrivals[at].Drop
		if d.Drop == record.DropNone {
			d.Drop = l.outlived(&s.groups.list[l.group])
		}
		if d.Drop == record.DropNone {
			d.Drop = l.deliver(d)
		}
		s.tally[d.Drop]++
		if d.Drop == record.DropNone {
			s.bytes += uint64(d.Len)
		}
	}
}

// outlived refuses what goes beyond the lifetime.
func (l *located) outlived(g *group[*InboundSA]) record.Drop {
	g.used.packets++
	g.used.bytes += uint64(l.body)
	if !g.sa.meter.within(g.used.packets, g.used.bytes) {
		return record.DropExpired
	}
	return record.DropNone
}
