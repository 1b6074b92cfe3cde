package memory

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// ring is one direction: a circle of buffers under one lock a burst.
type ring struct {
	mu       sync.Mutex
	moved    *sync.Cond
	slots    [][]byte
	lengths  []int
	size     int // of a slot
	head     int // the next packet to take
	count    int
	lent     int  // of count, the first ones, whose memory a reader still uses
	finished bool // nothing more will be put
	deaf     bool // nobody will take

	limit   *time.Timer
	limits  uint64 // read deadlines set so far
	expired bool
}

func newRing(depth, size int) *ring {
	r := &ring{slots: make([][]byte, depth), lengths: make([]int, depth), size: size}
	r.moved = sync.NewCond(&r.mu)
	arena := make([]byte, depth*size)
	for i := range r.slots {
		r.slots[i] = arena[i*size:][:size:size]
	}
	return r
}

// waitForRoom fails once the ring is closed. The lock is held, here and below.
func (r *ring) waitForRoom() error {
	for r.count == len(r.slots) && !r.finished && !r.deaf {
		r.moved.Broadcast()
		r.moved.Wait()
	}
	if r.finished || r.deaf {
		return net.ErrClosed
	}
	return nil
}

// waitForPacket says why there will be none.
func (r *ring) waitForPacket() error {
	for r.count == 0 && !r.finished && !r.deaf && !r.expired {
		r.moved.Wait()
	}
	switch {
	case r.deaf:
		return net.ErrClosed
	case r.expired:
		return os.ErrDeadlineExceeded
	case r.count == 0:
		return io.EOF
	}
	return nil
}

func (r *ring) push(packet []byte) {
	at := (r.head + r.count) % len(r.slots)
	r.lengths[at] = copy(r.slots[at], packet)
	r.count++
}

// pop is the next packet, good until the lock is given back.
func (r *ring) pop() []byte {
	packet := r.slots[r.head][:r.lengths[r.head]]
	r.head = (r.head + 1) % len(r.slots)
	r.count--
	return packet
}

// release takes back what was lent.
func (r *ring) release() {
	if r.lent > 0 {
		r.head = (r.head + r.lent) % len(r.slots)
		r.count -= r.lent
		r.lent = 0
		r.moved.Broadcast()
	}
}

func (r *ring) close(deaf bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = true
	r.deaf = r.deaf || deaf
	r.stopAlarm()
	r.moved.Broadcast()
}

// setDeadline lets takers fail from then on; the zero time lifts that.
func (r *ring) setDeadline(t time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopAlarm()
	r.expired = !t.IsZero() && !t.After(time.Now())
	if r.expired {
		r.moved.Broadcast()
	} else if !t.IsZero() {
		mine := r.limits
		r.limit = time.AfterFunc(time.Until(t), func() { r.expire(mine) })
	}
}

// expire is the alarm's; that of a deadline which was replaced does nothing.
func (r *ring) expire(deadline uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits == deadline {
		r.expired = true
		r.moved.Broadcast()
	}
}

func (r *ring) stopAlarm() {
	r.limits++
	if r.limit != nil {
		r.limit.Stop()
		r.limit = nil
	}
}
