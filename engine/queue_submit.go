package engine

import "github.com/sealburst/sealburst/ciphers"

// Submit hands a burst over and returns at once. From then on, until Poll gives it
// back, packets, their buffers and the masks are the queue's. It fails, with the
// packets as they were, with ErrQueueFull, ErrClosed, or a *ciphers.FieldError for
// a burst or an operation that is none.
//
// The packets are checked, and the nonces derived, before Submit returns: a key
// that is closed afterwards still serves the burst, and its Close waits for it.
func (q *Queue) Submit(w Work) error {
	if err := w.check(); err != nil {
		return err
	}
	s := q.engine.enter() // held until the job is inside, where a closing key finds it
	n, err := q.reserve(w)
	if err != nil {
		s.leave()
		return err
	}
	j := q.job(n)
	j.admit(s)
	lane := q.hand(n, q.choose(j))
	s.leave()
	if lane != nil {
		lane.drive(q)
	}
	return nil
}

func (w *Work) check() error {
	switch {
	case w.Op < OpSeal || w.Op > OpSealMask:
		return &ciphers.FieldError{Field: "Op", Reason: "not one of the constants"}
	case len(w.Packets) == 0 || len(w.Packets) > ciphers.MaxBurst:
		return &ciphers.FieldError{Field: "Packets", Reason: "not 1 to 256"}
	}
	return nil
}

// reserve takes the next place in the order for a burst.
func (q *Queue) reserve(w Work) (uint64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed || q.engine.closed.Load():
		return 0, ErrClosed
	case q.next-q.first >= q.depth:
		q.stats.Rejected++
		return 0, ErrQueueFull
	}
	n := q.next
	q.next++
	j := q.job(n)
	j.work, j.over = w, false
	q.stats.count(len(w.Packets), q.next-q.first)
	return n, nil
}

// hand gives a job to a lane, which it returns, or with none to the workers.
func (q *Queue) hand(n uint64, lane *queueLane) *queueLane {
	q.mu.Lock()
	defer q.mu.Unlock()
	if lane != nil {
		lane.todo.push(n)
		return lane
	}
	q.todo.push(n)
	q.waiting.Signal()
	return nil
}

// admit takes the burst over the border.
func (j *job) admit(s *shard) {
	w := &j.work
	j.plans = sealMask{}
	switch w.Op {
	case OpSeal:
		j.plans.seal, j.plans.alike = ciphers.SealBorder(w.Packets)
	case OpOpen:
		j.plans.seal, j.plans.alike = ciphers.OpenBorder(w.Packets)
	case OpMask:
		j.plans.index, j.plans.mask = ciphers.MaskBorder(w.Masks, w.Packets, j.index[:])
	case OpSealMask:
		j.plans = s.admitSealMask(w.Masks, w.Packets, j.index[:])
	}
}

// run does the burst and gives the shard back.
func (j *job) run(s *shard) {
	w := &j.work
	switch w.Op {
	case OpSeal:
		s.end(opSeal, w.Packets, s.route(opSeal, w.Packets, j.plans.seal, j.plans.alike))
	case OpOpen:
		s.end(opOpen, w.Packets, s.route(opOpen, w.Packets, j.plans.seal, j.plans.alike))
	case OpMask:
		s.runMask(w.Masks, w.Packets, j.plans)
	case OpSealMask:
		s.runSealMask(w.Masks, w.Packets, j.plans)
	}
}
