package dtlsadapter

import (
	"io"
	"os"
	"sync"
)

// What a queue holds at most for a reader that is late, in the half that fills; the
// half that readers empty may hold as much again.
const (
	queueBytes   = 2 << 20
	queueRecords = 4096
)

// queue holds the payloads that were received and not yet read. Whoever opens
// records fills one half while readers empty the other; the halves change places
// when the readers' is empty, so that memory is reused and neither waits for the
// other's copying.
type queue struct {
	mu     sync.Mutex
	in     batch
	end    error // why nothing more will come
	ready  chan struct{}
	ended  chan struct{}
	cut    bool // end holds even for what is still here
	reader sync.Mutex
	out    batch
	limit  deadline
}

// batch is payloads in a row.
type batch struct {
	bytes   []byte
	lengths []int
	next    int // of lengths
	at      int // of bytes
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, 1), ended: make(chan struct{})}
}

// begin locks the queue for a burst of add; wake ends it.
func (q *queue) begin() { q.mu.Lock() }

// add copies a payload, or reports false when the queue is full.
func (q *queue) add(payload []byte) bool {
	if len(q.in.bytes)+len(payload) > queueBytes || len(q.in.lengths) == queueRecords {
		return false
	}
	q.in.bytes = append(q.in.bytes, payload...)
	q.in.lengths = append(q.in.lengths, len(payload))
	return true
}

// wake unlocks the queue and lets a reader look.
func (q *queue) wake() {
	some := len(q.in.lengths) > 0
	q.mu.Unlock()
	if some {
		q.signal()
	}
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// close says why nothing more will come; the first reason stays, but a cut goes
// before it. With cut what is still in the queue is lost, otherwise it is read first.
func (q *queue) close(why error, cut bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.end == nil {
		q.end = why
		close(q.ended)
	}
	if cut && !q.cut {
		q.end, q.cut = why, true
	}
}

// reason is why nothing more will come, or nil.
func (q *queue) reason() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.end
}

// take waits for at least one payload, and copies as many as are there to the
// buffers. A payload that does not fit its buffer ends the burst; when it is the
// first it is lost, with io.ErrShortBuffer and as much of it as fitted.
func (q *queue) take(buffers [][]byte, sizes []int) (int, error) {
	for {
		if q.limit.expired() {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := q.drain(buffers, sizes)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-q.ready:
		case <-q.ended:
		case <-q.limit.wait():
		}
	}
}

func (q *queue) drain(buffers [][]byte, sizes []int) (n int, err error) {
	q.reader.Lock()
	defer q.reader.Unlock()
	if why := q.refill(); why != nil {
		return 0, why
	}
	for n < len(buffers) && q.out.next < len(q.out.lengths) {
		length := q.out.lengths[q.out.next]
		if length > len(buffers[n]) && n > 0 {
			break
		}
		sizes[n] = copy(buffers[n], q.out.bytes[q.out.at:q.out.at+length])
		q.out.next++
		q.out.at += length
		if sizes[n] < length {
			err = io.ErrShortBuffer
		}
		n++
		if err != nil {
			break
		}
	}
	if q.out.next < len(q.out.lengths) {
		q.signal() // for another reader
	}
	return n, err
}

// refill changes the halves when the readers' is empty, and says why there is
// nothing more to come.
func (q *queue) refill() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cut {
		return q.end
	}
	if q.out.next < len(q.out.lengths) {
		return nil
	}
	q.out.empty()
	q.in, q.out = q.out, q.in
	if len(q.out.lengths) == 0 {
		return q.end
	}
	return nil
}

func (b *batch) empty() {
	b.bytes, b.lengths = b.bytes[:0], b.lengths[:0]
	b.next, b.at = 0, 0
}
