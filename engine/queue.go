package engine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
)

// ErrQueueFull says that a queue holds as many bursts as it may.
var ErrQueueFull = errors.New("engine: queue is full")

// maxDepth is the most bursts that a queue may be asked to hold.
const maxDepth = 1 << 16

// maxWorkers is the most workers of a queue. More than there are processors do not run
// faster, and that is more than machines have; each takes a stack for as long as the
// queue is open.
const maxWorkers = 1024

// QueueConfig says how much a queue takes. The zero value holds 64 bursts and has
// a worker a processor.
type QueueConfig struct {
	Depth   int // bursts that were submitted and not yet polled, 1 to 65536; 0 means 64
	Workers int // goroutines that run bursts, 1 to 1024; 0 means GOMAXPROCS
}

func (c QueueConfig) complete() (QueueConfig, error) {
	switch {
	case c.Depth < 0 || c.Depth > maxDepth:
		return c, &ciphers.FieldError{Field: "Depth", Reason: fmt.Sprintf("%d is not 1 to %d", c.Depth, maxDepth)}
	case c.Workers < 0 || c.Workers > maxWorkers:
		return c, &ciphers.FieldError{Field: "Workers", Reason: fmt.Sprintf("%d is not 1 to %d", c.Workers, maxWorkers)}
	}
	c.Depth = cmp.Or(c.Depth, 64)
	c.Workers = cmp.Or(c.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	return c, nil
}

// Op is what a queue does with a burst.
type Op uint8

// The operations; each is the method of Engine of that name.
const (
	OpSeal Op = iota + 1
	OpOpen
	OpMask
	OpSealMask
)

// Work is one burst for a queue.
type Work struct {
	Op      Op
	Packets []Packet // 1 to 256
	Masks   []byte   // OpMask and OpSealMask: 16 bytes a packet
	Tag     any      // the caller's own; Poll gives it back
}

// Queue does bursts while the caller does something else, and gives them back in
// the order in which they came. Workers of its own run them. A burst whose packets
// are all for one algorithm of a device (ciphers.Asynchronous) goes to the device
// instead; it moves on when Submit or Poll is called. Any number of goroutines may
// submit and poll.
type Queue struct {
	engine  *Engine
	depth   uint64
	lanes   []*queueLane
	laneOf  [ciphers.NumAlgorithms]*queueLane
	ready   chan struct{}
	due     atomic.Bool // the oldest burst is over
	workers sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	stopped bool
	jobs    []job // a ring: job n is at n modulo the depth
	first   uint64
	next    uint64    // jobs from first up to next are inside
	todo    slots     // for the workers
	waiting sync.Cond // workers wait for todo
	settled sync.Cond // a job is over
	stats   QueueStats
}

// job is a burst on its way through a queue.
type job struct {
	work  Work
	plans sealMask // what the border said
	over  bool
	index [ciphers.MaxBurst]uint8
}

// NewQueue makes a queue with its workers, and a lane into every device that
// serves this engine. It fails with a *ciphers.FieldError, ErrClosed, or the error
// of a device that has no lane left. The caller closes the queue; Engine.Close does
// so too.
func (e *Engine) NewQueue(c QueueConfig) (*Queue, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	q := &Queue{engine: e, depth: uint64(c.Depth), jobs: make([]job, c.Depth), todo: newSlots(c.Depth), ready: make(chan struct{}, 1)}
	q.waiting.L, q.settled.L = &q.mu, &q.mu
	if err := q.openLanes(); err != nil {
		return nil, err
	}
	if !e.adopt(q) {
		q.closeLanes()
		return nil, ErrClosed
	}
	for range c.Workers {
		q.workers.Go(q.serve)
	}
	return q, nil
}

// adopt notes a queue for Quiesce and Close, and reports false when the engine is
// closed.
func (e *Engine) adopt(q *Queue) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		return false
	}
	e.queues = append(e.queues, q)
	return true
}

// drainQueues waits until every burst that was submitted before is over.
func (e *Engine) drainQueues() {
	for _, q := range e.openQueues() {
		q.drain()
	}
}

func (e *Engine) closeQueues() {
	for _, q := range e.openQueues() {
		q.Close()
	}
}

func (e *Engine) openQueues() []*Queue {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.queues)
}

func (e *Engine) disown(q *Queue) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.queues, q); i >= 0 {
		e.queues = slices.Delete(e.queues, i, i+1)
	}
}

// Close refuses new bursts, waits until those inside are over, and ends workers
// and lanes. Poll still gives back what was not polled. Closing twice is allowed.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.drain()
	if q.stop() {
		q.closeLanes()
		q.engine.disown(q)
	}
	q.workers.Wait()
}

// stop ends the workers. It reports whether this was the first call.
func (q *Queue) stop() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := !q.stopped
	q.stopped = true
	q.waiting.Broadcast()
	return first
}

// drain waits until every job that is inside now is over.
func (q *Queue) drain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, last := q.first, q.next; n < last; n = max(n+1, q.first) {
		for n >= q.first && !q.job(n).over {
			q.await()
		}
	}
}

// await lets go of the queue until something has moved: a worker, or a device that
// it drives itself.
func (q *Queue) await() {
	if len(q.lanes) == 0 {
		q.settled.Wait()
		return
	}
	q.mu.Unlock()
	q.drive()
	runtime.Gosched()
	q.mu.Lock()
}

func (q *Queue) job(n uint64) *job { return &q.jobs[n%q.depth] }

// slots is a bounded queue of job numbers. A job is in it once at most, so that it
// is never full.
type slots struct {
	ring        []uint64
	first, next uint64
}

func newSlots(n int) slots { return slots{ring: make([]uint64, n)} }

func (s *slots) empty() bool { return s.first == s.next }

func (s *slots) push(n uint64) {
	s.ring[s.next%uint64(len(s.ring))] = n
	s.next++
}

// front is the oldest; there is one.
func (s *slots) front() uint64 { return s.ring[s.first%uint64(len(s.ring))] }

func (s *slots) pop() uint64 {
	n := s.front()
	s.first++
	return n
}
