package engine

// serve is a worker: it runs jobs until the queue stops.
func (q *Queue) serve() {
	for n, more := q.take(); more; n, more = q.take() {
		q.job(n).run(q.engine.enter())
		q.settle(n)
	}
}

// take waits for a job, and reports false when the queue stops.
func (q *Queue) take() (uint64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.todo.empty() {
		if q.stopped {
			return 0, false
		}
		q.waiting.Wait()
	}
	return q.todo.pop(), true
}

// settle notes that a job is over.
func (q *Queue) settle(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.job(n).over = true
	q.settled.Broadcast()
	if n == q.first {
		q.announce()
	}
}

// announce says that the oldest burst is over.
func (q *Queue) announce() {
	q.due.Store(true)
	select {
	case q.ready <- struct{}{}:
	default: // it is
	}
}

// Poll fills done with the bursts that are over, in the order of their submission,
// and returns how many: none when the oldest is still under way. It never waits.
func (q *Queue) Poll(done []Work) int {
	q.drive()
	if !q.due.Load() {
		return 0 // who polls in a loop leaves the lock to the others
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due.Store(false)
	n := 0
	for ; n < len(done) && q.oldestOver(); n++ {
		j := q.job(q.first)
		done[n] = j.work
		j.work, j.plans = Work{}, sealMask{}
		q.first++
	}
	if q.oldestOver() {
		q.announce()
	}
	return n
}

// oldestOver reports that the burst whose turn it is can be given back.
func (q *Queue) oldestOver() bool { return q.first != q.next && q.job(q.first).over }

// Ready receives after a burst has come to be over whose turn it is, for callers
// who have nothing else to do. One receive may stand for many bursts or, after
// another goroutine polled, for none. What a device does shows only when the queue
// is polled.
func (q *Queue) Ready() <-chan struct{} { return q.ready }
