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
	late             *Late
	clock            *steps.Clock // nil while nothing is measured
	transparent      bool         // hop limits stay as they are
	busy             bool         // never sleeps
	asks             bool         // for neighbours; one worker does

	burst      ethernet.Burst
	answers    ethernet.Burst
	hops       Hops
	sizes      [ethernet.MaxBurst]int
	drops      record.Tally
	complaints int // ICMP errors that may still be sent

	count  tunnel.Counters
	rounds uint
	asked  uint // rounds of asking
	start  time.Time
	active bool // something came since it tended
	tended time.Duration
	latest atomic.Int64 // when a packet came last, in nanoseconds since start
}

// side is one side of a worker.
type side struct {
	queue ethernet.Queue
	host  *ethernet.Host
	mtu   int
	quick quick
	last  address // that was looked up, and what was found
	hop   *ethernet.Neighbour
}

const (
	tendEvery         = time.Millisecond
	complaintsEach    = 4 // ICMP errors in that time, at most
	roundsBeforeClock = 64
	roundsBeforeSleep = 256
	sleep             = 50 * time.Microsecond
)

// run carries packets until stop is set.
func (w *worker) run(stop *atomic.Bool) {
	for idle := 0; !stop.Load(); idle++ {
		out, in := w.outward(), w.inward()
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
	w.plain.queue.Receive(b)
	if b.N == 0 {
		return false
	}
	n := b.N
	w.clock.Mark(steps.OutReceive, n)
	w.sort(b, &w.plain, ethernet.Transit)
	w.protocol.Route(b, &w.hops)
	w.clock.Mark(steps.OutLookUp, n)
	sealed := w.protocol.Seal(b)
	w.clock.Mark(steps.OutNumber, n)
	if sealed != n {
		w.complain(b)
	}
	w.send(b, &w.protected, &w.count.Out)
	w.answer(&w.plain)
	w.clock.Mark(steps.OutSend, n)
	return true
}

// inward carries one burst the other way.
func (w *worker) inward() bool {
	b := &w.burst
	w.clock.Begin()
	w.protected.queue.Receive(b)
	if b.N == 0 {
		return false
	}
	n := b.N
	w.clock.Mark(steps.InReceive, n)
	w.sort(b, &w.protected, ethernet.Local)
	w.clock.Mark(steps.InLookUp, n)
	w.protocol.Open(b, &w.answers)
	w.clock.Mark(steps.InNumber, n)
	w.forward(b)
	w.send(b, &w.plain, &w.count.In)
	w.answer(&w.protected)
	w.clock.Mark(steps.InSend, n)
	return true
}

// sort takes out of a burst what the network asks of the gateway itself, and leaves the
// packets that the verdict wanted stands for. A side without addresses of its own leaves
// them all.
func (w *worker) sort(b *ethernet.Burst, s *side, wanted ethernet.Verdict) {
	w.answers.N, w.answers.CheckUDP, b.CheckUDP = 0, false, false
	if !s.host.HasAddress() {
		wanted = ethernet.Local
	}
	for i := 0; i < b.N; i++ {
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
		return s.quick.transit(burst, sizes, !w.transparent)
	}
	return s.quick.local(burst)
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
	if s != &w.plain || w.transparent {
		return
	}
	if d.Drop = age(d.Content()); d.Drop == record.DropExpired {
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
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		if d.Drop != record.DropNone {
			continue
		}
		packet := d.Content()
		if w.sizes[i] = d.Len; !w.transparent {
			if d.Drop = age(packet); d.Drop != record.DropNone {
				continue
			}
		}
		w.hops[i] = w.plain.way(destination(packet))
	}
}

// way is the neighbour that packets for an address go to.
func (s *side) way(to address) *ethernet.Neighbour {
	if to != s.last || s.hop == nil {
		s.last, s.hop = to, s.host.Hop(to.addr())
	}
	return s.hop
}

// send makes frames of the packets, sends them and counts.
func (w *worker) send(b *ethernet.Burst, s *side, count *tunnel.Way) {
	var bytes uint64
	packets := 0
	s.host.Frames(b.Frames[:b.N], w.hops[:b.N], s.mtu)
	for i := range b.Frames[:b.N] {
		if d := &b.Frames[i]; d.Drop == record.DropNone {
			bytes += uint64(w.sizes[i])
			packets++
		} else if b.Buffers[i] != 0 {
			w.drops[d.Drop]++
		}
	}
	sent := s.queue.Send(b)
	w.drops[record.DropQueueFull] += uint64(packets - sent)
	count.Add(sent, bytes, &w.drops)
	w.drops = record.Tally{}
}

// answer sends back what became an answer.
func (w *worker) answer(s *side) {
	if w.answers.N != 0 {
		s.queue.Send(&w.answers)
	}
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
}

// deliver sends packets that are counted elsewhere.
func (s *side) deliver(b *ethernet.Burst, hops *Hops) {
	if b.N != 0 {
		s.host.Frames(b.Frames[:b.N], hops[:b.N], s.mtu)
		s.queue.Send(b)
	}
}
