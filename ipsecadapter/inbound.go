package ipsecadapter

import (
	"sync"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// InboundOptions say how packets arrive. The zero value takes IP packets with ESP in
// them, with AH, or with ESP in UDP on NATTPort.
type InboundOptions struct {
	Socket bool   // datagrams are payloads of a UDP socket, for SAs InSocket
	Port   uint16 // where ESP in UDP arrives; 0 means NATTPort

	// EitherPort takes what comes from Port too, whatever port it is for: the answers of
	// a peer to one who sends from another port, or whose port a NAT chose.
	EitherPort bool
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

// NewInbound makes a receiving side of an engine, whose SAs are found in db. Neither may be
// nil. The SAs must be of the same engine; packets of others are DropFailed.
func NewInbound(e *engine.Engine, db *Database, options InboundOptions) *Inbound {
	return &Inbound{engine: e, db: db, options: options, port: portOr(options.Port),
		pool: sync.Pool{New: func() any { return new(opening) }}}
}

// Stats are the counters since the Inbound was made.
func (in *Inbound) Stats() Flow { return in.counters.snapshot() }

// Unprotect opens each datagram in place and moves Off and Len to the IP packet that it
// carried. It returns how many came through; the others get a cause. Messages of IKE,
// keepalives and what is no ESP are left as they were, with DropIKE, DropKeepalive and
// DropType; of what could not be used after it was opened, the content means nothing. A
// datagram that already has a cause is passed over.
//
// by takes the SA that each datagram belongs to, nil where none was found; it may be
// shorter than the burst, and nil.
//
// What comes out of an SA may be protected once more, in a bundle (RFC 4301 section 4.3): it
// is for a second Unprotect then, and the caller compares the SAs of both with its policy.
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
	s.coverage.reset()
	clear(by)
	n := in.admit(s, burst, by)
	s.arrange(n)
	left := s.look()
	in.resynchronise(s, burst)
	if k := s.describe(burst, n, left); k != 0 && in.engine.Open(s.packets[:k]) != k {
		s.judge(k)
	}
	s.clean = s.settle() == n
	in.finish(s, burst)
	s.reset()
	return in.counters.add(&s.result)
}

// admit finds ESP or AH and the SA of each datagram, and says where there is none. It
// returns how many have a place.
func (in *Inbound) admit(s *opening, burst []record.Datagram, by []*InboundSA) (n int) {
	sas := *in.db.table.Load()
	for i := 0; i < len(burst); i++ {
		d, l := &burst[i], &s.located[n]
		if d.Drop != record.DropNone {
			continue
		}
		drop := in.locate(l, d)
		if drop == record.DropNone {
			l.sa = s.find(l, sas)
			drop = l.assign(d.Content())
		}
		if i < len(by) {
			by[i] = l.sa
		}
		if drop != record.DropNone {
			s.drop(d, drop)
			continue
		}
		took := s.admitSome(l, burst[i:], i, n)
		for at := i + 1; at < min(i+took, len(by)); at++ {
			by[at] = l.sa
		}
		i, n = i+took-1, n+took
	}
	return n
}

// find finds the SA of a packet. Most are of the SA of the last run.
func (s *opening) find(l *located, sas table) *InboundSA {
	if s.inRuns != 0 {
		if last := &s.located[s.runs[s.inRuns-1].place]; l.like(last) {
			return last.sa
		}
	}
	return sas.lookup(l.protocol, l.spi, l.between)
}

// admitSome gives the packet that l tells of its place, and those that follow it if they
// go the quick way with it. It returns how many it gave one.
func (s *opening) admitSome(l *located, burst []record.Datagram, position, place int) (n int) {
	group := s.groupOf(l.sa)
	g, marks := &s.groups.list[group], byte(0)
	if l.plain && g.quick {
		n, marks = s.quickRun(l, g, burst, place)
	}
	r := arrived{group, uint8(position), uint8(place), uint8(n), marks, n != 0}
	if n == 0 {
		n, r.n, s.slow = 1, 1, true
		s.arrivals[place] = l.sa.arrival(l.low, g.first)
		s.bodies[place] = uint16(l.body)
		g.bytes += uint64(l.body)
	}
	if s.inRuns == 0 || s.runs[s.inRuns-1].group != group {
		s.turns++
	}
	s.runs[s.inRuns] = r
	s.inRuns++
	g.n += n
	return n
}

// groupOf returns the place of the SA's group.
func (s *opening) groupOf(sa *InboundSA) uint8 {
	if s.inRuns != 0 {
		if last := s.runs[s.inRuns-1].group; s.groups.list[last].sa == sa {
			return last
		}
	}
	group := s.groups.find(sa, sa.spi)
	if g := &s.groups.list[group]; g.n == 0 {
		if sa.esn {
			g.first, _ = sa.receiver.Highest()
		}
		g.astray = sa.stray.isAstray()
		g.quick = sa.plain && !g.astray
	}
	return group
}

// finish delivers, and counts.
func (in *Inbound) finish(s *opening, burst []record.Datagram) {
	for i := range s.runs[:s.inRuns] {
		r := &s.runs[i]
		if r.quick {
			in.finishRun(s, r, burst[r.position:])
			continue
		}
		l, d := &s.located[r.place], &burst[r.position]
		drop := s.verdict(int(r.place), &s.groups.list[r.group])
		if drop == record.DropNone {
			drop = l.deliver(d)
		}
		s.count(d, drop)
	}
}

// verdict is what became of the packet until it is delivered.
func (s *opening) verdict(place int, g *group[*InboundSA]) record.Drop {
	drop := s.arrivals[s.slots[place]].Drop
	if drop != record.DropNone || g.far {
		return drop
	}
	return g.outlived(&g.sa.meter, uint64(s.bodies[place]))
}

// outlived refuses what goes beyond the lifetime.
func (g *group[SA]) outlived(m *meter, bytes uint64) record.Drop {
	g.used.packets++
	g.used.bytes += bytes
	if !m.within(g.used.packets, g.used.bytes) {
		return record.DropExpired
	}
	return record.DropNone
}

func (s *opening) count(d *record.Datagram, drop record.Drop) {
	if drop != record.DropNone {
		s.drop(d, drop)
		return
	}
	s.done++
	s.bytes += uint64(d.Len)
}
