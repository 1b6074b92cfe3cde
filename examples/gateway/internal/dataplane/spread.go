package dataplane

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// Spread lets several workers receive from a device of which only the first queue does.
// The first worker takes what comes, keeps the flows that are its own, and hands the
// others on through a ring for each worker. A flow stays with one worker, in order. It
// returns the queues of the workers. What is left in the rings at the end goes back to
// the device with Drain.
func Spread(queues []ethernet.Queue) ([]ethernet.Queue, *Spreader) {
	s := &Spreader{device: queues, rings: make([]ring, len(queues))}
	all := make([]ethernet.Queue, len(queues))
	for i := range queues {
		all[i] = &spread{Queue: queues[i], spreader: s, worker: i}
	}
	return all, s
}

// Spreader is what the queues of Spread share.
type Spreader struct {
	device []ethernet.Queue
	rings  []ring // that of worker 0 stays empty
}

// spread is one worker's queue.
type spread struct {
	ethernet.Queue
	spreader *Spreader
	worker   int
}

// Receive takes a worker's share of what came.
func (s *spread) Receive(b *ethernet.Burst) {
	if s.worker != 0 {
		s.spreader.rings[s.worker].pop(b)
		return
	}
	s.Queue.Receive(b)
	s.spreader.spread(b)
}

// Exchange sends, and takes a worker's share of what came.
func (s *spread) Exchange(b *ethernet.Burst) int {
	sent := s.Send(b)
	s.Receive(b)
	return sent
}

// spread hands on what belongs to other workers. What one has no room for is dropped.
func (s *Spreader) spread(b *ethernet.Burst) {
	n := uint64(len(s.rings))
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		worker := flowOf(d) % n
		if worker == 0 || d.Drop != record.DropNone {
			continue
		}
		if !s.rings[worker].push(b.Frames[i], b.Buffers[i]) {
			d.Drop = record.DropQueueFull
			continue
		}
		b.Buffers[i] = 0
		b.Frames[i] = record.Datagram{Drop: record.DropClosed}
	}
	for i := range s.rings {
		s.rings[i].publish()
	}
}

// Drain gives what nobody fetched back to the device. The workers are over.
func (s *Spreader) Drain() {
	var b ethernet.Burst
	for i := range s.rings {
		for s.rings[i].pop(&b); b.N > 0; s.rings[i].pop(&b) {
			for j := range b.Frames[:b.N] {
				b.Frames[j].Drop = record.DropClosed
			}
			s.device[0].Send(&b)
		}
	}
}

const ringSize = 1024 // a power of two

// ring is frames on their way from one worker to another. Indexes grow without end; only
// the sender writes tail, and only the receiver head, each once a burst.
type ring struct {
	next uint64 // the sender's own: what tail will be
	seen uint64 // the sender's own: what head was when it looked last
	_    [48]byte
	tail atomic.Uint64
	_    [56]byte
	head atomic.Uint64
	_    [56]byte

	frames  [ringSize]record.Datagram
	buffers [ringSize]uintptr
}

// push puts one frame in, and reports false when there is no room. The receiver sees it
// after publish.
func (r *ring) push(d record.Datagram, buffer uintptr) bool {
	if r.next-r.seen == ringSize {
		if r.seen = r.head.Load(); r.next-r.seen == ringSize {
			return false
		}
	}
	at := r.next % ringSize
	r.frames[at], r.buffers[at] = d, buffer
	r.next++
	return true
}

func (r *ring) publish() {
	if r.tail.Load() != r.next {
		r.tail.Store(r.next)
	}
}

// pop takes what is there in place of what the burst held.
func (r *ring) pop(b *ethernet.Burst) {
	head := r.head.Load()
	n := int(min(r.tail.Load()-head, ethernet.MaxBurst))
	for i := range n {
		at := (head + uint64(i)) % ringSize
		b.Frames[i], b.Buffers[i] = r.frames[at], r.buffers[at]
	}
	b.N = n
	if n != 0 {
		r.head.Store(head + uint64(n))
	}
}
