package engine

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// queueLane is a queue's way into one device.
type queueLane struct {
	device ciphers.Device
	todo   slots // jobs that the device has not taken yet; the queue's lock guards it

	mu   sync.Mutex // whoever holds it drives the device
	lane ciphers.Lane
	done [64]uint64
}

// openLanes opens a lane into every device that serves an algorithm.
func (q *Queue) openLanes() error {
	for alg, plan := range q.engine.plans {
		if plan == nil {
			continue
		}
		impl, ok := plan.Bulk.(ciphers.Asynchronous)
		if !ok {
			continue
		}
		lane, err := q.laneInto(impl.Device())
		if err != nil {
			q.closeLanes()
			return err
		}
		q.laneOf[alg] = lane
	}
	return nil
}

// laneInto is the queue's lane into a device, made when it has none.
func (q *Queue) laneInto(d ciphers.Device) (*queueLane, error) {
	for _, l := range q.lanes {
		if l.device == d {
			return l, nil
		}
	}
	lane, err := d.OpenLane()
	if err != nil {
		return nil, err
	}
	l := &queueLane{device: d, lane: lane, todo: newSlots(int(q.depth))}
	q.lanes = append(q.lanes, l)
	return l, nil
}

func (q *Queue) closeLanes() {
	for _, l := range q.lanes {
		l.mu.Lock()
		l.lane.Close()
		l.lane = nil
		l.mu.Unlock()
	}
}

// choose is the lane for a burst whose valid packets are all a device's, or nil.
func (q *Queue) choose(j *job) *queueLane {
	if len(q.lanes) == 0 || j.work.Op != OpSeal && j.work.Op != OpOpen {
		return nil
	}
	plan, packets := j.valid(), j.work.Packets
	if plan == nil || len(j.plans.index) <= plan.LoneMax {
		return nil
	}
	alg := packets[j.plans.index[0]].Key.Algorithm()
	if q.engine.plans[alg] != plan {
		return nil
	}
	return q.laneOf[alg]
}

// valid notes in plans.index which packets passed the border, and returns the plan
// that they share, or nil.
func (j *job) valid() *ciphers.Plan {
	packets := j.work.Packets
	if j.plans.seal != nil {
		j.plans.index = ciphers.Identity(len(packets))
		return j.plans.seal
	}
	var plan *ciphers.Plan
	index := j.index[:0]
	for i := range packets {
		p := &packets[i]
		if p.Status != ciphers.StatusNone {
			continue
		}
		if own := p.Key.Plan(); plan == nil {
			plan = own
		} else if own != plan {
			return nil
		}
		index = append(index, uint8(i))
	}
	j.plans.index = index
	return plan
}

// drive moves the devices on.
func (q *Queue) drive() {
	for _, l := range q.lanes {
		l.drive(q)
	}
}

// drive hands the device what it takes and settles what it has done, unless
// another goroutine is at it.
func (l *queueLane) drive(q *Queue) {
	if !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	if l.lane == nil {
		return
	}
	for l.feed(q) {
	}
	for n := len(l.done); n == len(l.done); {
		n = l.lane.Poll(l.done[:])
		for _, job := range l.done[:n] {
			q.settleLane(job)
		}
	}
}

// feed hands the oldest waiting job to the device, and reports whether there may
// be more.
func (l *queueLane) feed(q *Queue) bool {
	n, ok := l.oldest(q)
	if !ok {
		return false
	}
	j := q.job(n)
	d := ciphers.Sealing
	if j.work.Op == OpOpen {
		d = ciphers.Opening
	}
	b := ciphers.Burst{Packets: j.work.Packets, Index: j.plans.index, Slot: ciphers.SlotBulk}
	if !l.lane.Submit(b, d, n) {
		return false
	}
	q.mu.Lock()
	l.todo.pop()
	q.mu.Unlock()
	return true
}

func (l *queueLane) oldest(q *Queue) (uint64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.todo.empty() {
		return 0, false
	}
	return l.todo.front(), true
}

// settleLane counts what a device has done.
func (q *Queue) settleLane(n uint64) {
	j := q.job(n)
	packets, op := j.work.Packets, opSeal
	if j.work.Op == OpOpen {
		op = opOpen
	}
	ok := 0
	for _, i := range j.plans.index {
		if packets[i].Status == ciphers.StatusOK {
			ok++
		}
	}
	s := q.engine.enter()
	s.countCall(packets[j.plans.index[0]].Key.Algorithm(), op, len(j.plans.index), ok)
	s.end(op, packets, ok)
	q.settle(n)
}
