package dataplane

import (
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// worker is one thread's part of a gateway.
type worker struct {
	plain, protected side
	protocol         Protocol
	inside           *inside
	late             *Late
	clock            *steps.Clock // nil while nothing is measured
	transparent      bool         // hop limits stay as they are
	busy             bool         // never sleeps
	asks             bool         // for neighbours; one worker does

	burst      ethernet.Burst
	answers    ethernet.Burst
	hops       Hops
	header     ethernet.Header // of those that all go to one
	sizes      [ethernet.MaxBurst]int
	bytes      int  // of all of them
	one        bool // all packets of the burst are for one address, and none has a cause
	drops      record.Tally
	complaints int // ICMP errors that may still be sent

	count  tunnel.Counters
	rounds uint
	asked  uint // rounds of asking
	start  time.Time
	active bool // something came since it tended
	turns  bool // inward follows outward, which may receive for it
	fresh  bool // and has: the burst is what the protected side received
	tended time.Duration
	latest atomic.Int64 // when a packet came last, in nanoseconds since start
}

// side is one side of a worker.
type side struct {
	queue  ethernet.Queue
	host   *ethernet.Host
	mtu    int
	glance ethernet.Glance
	swift  ethernet.Swift // the queue, if it is one
	last   address        // that was looked up, and what was found
	hop    *ethernet.Neighbour
}

const (
	tendEvery         = time.Millisecond
	complaintsEach    = 4 // ICMP errors in that time, at most
	quietRounds       = 4 // a plain side that is quiet is looked at so often while the other one is busy
	roundsBeforeClock = 64
	roundsBeforeSleep = 256
	sleep             = 50 * time.Microsecond
)

// run carries packets until stop is set.
func (w *worker) run(stop *atomic.Bool) {
	w.turns = w.clock == nil // receiving is measured apart from sending
	out, in := false, false  // whether something came, when the side was last looked at
	for idle := 0; !stop.Load(); idle++ {
		if out || !in || w.rounds%quietRounds == 0 {
			out = w.outward()
		}
		in = w.inward()
		if out || in {
			idle, w.active = 0, true
		}
		if w.rounds++; w.rounds%roundsBeforeClock == 0 || idle > roundsBeforeSleep {
			w.tend()
		}
		if idle > roundsBeforeSleep && !w.busy {
			time.Sleep(sleep)
		}
	}
}

// outward carries one burst from the plain side to the protected side, and reports
// whether there was one.
func (w *worker) outward() bool {
	b := &w.burst
	w.clock.Begin()
	passed := w.receivePlain(b)
	if b.N == 0 {
		return false
	}
	n := b.N
	w.clock.Mark(steps.OutReceive, n)
	w.sort(b, &w.plain, ethernet.Transit, passed)
	hop := w.protocol.Route(b, &w.hops, w.one)
	w.clock.Mark(steps.OutLookUp, n)
	sealed := w.protocol.Seal(b)
	w.clock.Mark(steps.OutNumber, n)
	if sealed != n {
		w.complain(b)
	}
	w.send(b, &w.protected, hop, &w.count.Out)
	w.answer(&w.plain)
	w.clock.Mark(steps.OutSend, n)
	return true
}

// receivePlain receives from the plain side, and tells of the frames that are sorted by then.
func (w *worker) receivePlain(b *ethernet.Burst) ethernet.Passed {
	if s := &w.plain; s.swift != nil && w.turns {
		return s.swift.ReceiveTransit(b, &s.glance, &w.sizes)
	}
	w.plain.queue.Receive(b)
	return ethernet.Passed{}
}

// inward carries one burst the other way.
func (w *worker) inward() bool {
	b := &w.burst
	w.clock.Begin()
	if !w.fresh {
		w.protected.queue.Receive(b)
	}
	w.fresh = false
	if b.N == 0 {
		return false
	}
	n := b.N
	w.clock.Mark(steps.InReceive, n)
	w.sort(b, &w.protected, ethernet.Local, ethernet.Passed{})
	w.clock.Mark(steps.InLookUp, n)
	w.protocol.Open(b, &w.answers)
	w.clock.Mark(steps.InNumber, n)
	w.forward(b)
	w.send(b, &w.plain, nil, &w.count.In)
	w.answer(&w.protected)
	w.answerInside()
	w.clock.Mark(steps.InSend, n)
	return true
}

// sort takes out of a burst what the network asks of the gateway itself, and leaves the
// packets that the verdict wanted stands for. A side without addresses of its own leaves
// them all. Those that passed are sorted already.
func (w *worker) sort(b *ethernet.Burst, s *side, wanted ethernet.Verdict, passed ethernet.Passed) {
	w.answers.N, w.answers.CheckUDP, b.CheckUDP = 0, false, false
	w.bytes, w.one = passed.Bytes, passed.One
	if !s.host.HasAddress() {
		wanted = ethernet.Local
	}
	for i := passed.N; i < b.N; i++ {
		if n := w.glance(b.Frames[i:b.N], w.sizes[i:], s); n != 0 {
			i += n - 1
			continue
		}
		w.take(b, i, s, wanted)
	}
}

// glance takes the frames from the start of burst on that are what most are.
func (w *worker) glance(burst []record.Datagram, sizes []int, s *side) (n int) {
	if s == &w.plain {
		p := s.glance.Transit(burst, sizes)
		w.bytes += p.Bytes
		w.one = p.One && p.N == w.burst.N
		return p.N
	}
	return s.glance.Local(burst)
}

// take takes any frame.
func (w *worker) take(b *ethernet.Burst, i int, s *side, wanted ethernet.Verdict) {
	d := &b.Frames[i]
	switch verdict := s.host.Take(d); verdict {
	case wanted:
		w.admit(b, i, s)
	case ethernet.Answer:
		b.Move(i, &w.answers)
	case ethernet.Taken:
		d.Drop = record.DropDummy // it is given back, and counts nowhere
		b.Move(i, &w.answers)
	case ethernet.Dropped: // Drop says why
	default:
		d.Drop = record.DropType
	}
}

// admit counts the hop limit of a plain packet down and notes its length.
func (w *worker) admit(b *ethernet.Burst, i int, s *side) {
	d := &b.Frames[i]
	w.sizes[i] = d.Len
	w.bytes += d.Len
	if s != &w.plain || w.transparent {
		return
	}
	if d.Drop = ethernet.Age(d.Content()); d.Drop == record.DropExpired {
		w.drops[record.DropExpired]++
		if w.mayComplain() {
			s.host.TimeExceeded(d) // without an answer it is still dropped
		}
		b.Move(i, &w.answers)
	}
}

func (w *worker) mayComplain() bool {
	w.complaints--
	return w.complaints >= 0
}

// complain answers packets that are too long for their path.
func (w *worker) complain(b *ethernet.Burst) {
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		if d.Drop != record.DropPathMTU {
			continue
		}
		w.drops[record.DropPathMTU]++
		if w.mayComplain() {
			w.plain.host.TooBig(d, w.protocol.InnerMTU(i))
		}
		b.Move(i, &w.answers)
	}
}

// forward finds where packets that were opened go.
func (w *worker) forward(b *ethernet.Burst) {
	w.bytes = 0
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		if d.Drop != record.DropNone {
			continue
		}
		packet := d.Content()
		hop := w.way(destination(packet))
		if hop == &w.inside.self {
			w.inside.reply(b, i)
			continue
		}
		if w.sizes[i] = d.Len; !w.transparent {
			if d.Drop = ethernet.Age(packet); d.Drop != record.DropNone {
				continue
			}
		}
		w.bytes += d.Len
		w.hops[i] = hop
	}
}

// way is the neighbour that packets for an address go to on the plain side.
func (w *worker) way(to address) *ethernet.Neighbour {
	s := &w.plain
	switch {
	case to == s.last && s.hop != nil:
	case w.inside.owns(to):
		s.last, s.hop = to, &w.inside.self
	default:
		s.last, s.hop = to, s.host.Hop(to.addr())
	}
	return s.hop
}

// tend does what is due now and then.
func (w *worker) tend() {
	now := time.Since(w.start)
	if w.active {
		w.active = false
		w.latest.Store(int64(now))
	}
	w.pass()
	if now-w.tended < tendEvery {
		return
	}
	w.tended, w.complaints = now, complaintsEach
	if w.asks {
		round := w.asked
		w.plain.host.Ask(round, now, w.plain.queue, &w.answers)
		w.protected.host.Ask(round, now, w.protected.queue, &w.answers)
		w.asked++
	}
}

// pass sends what others than the two sides have to say.
func (w *worker) pass() {
	b := &w.burst
	b.N, b.CheckUDP = 0, false
	w.protocol.Tend(b, &w.hops, w.protected.queue)
	w.protected.deliver(b, &w.hops)
	if w.late == nil {
		return
	}
	b.CheckUDP = false
	w.late.fetch(b, w.plain.queue)
	w.forward(b)
	w.plain.deliver(b, &w.hops)
	w.answerInside()
}
