package engine

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// A shard is what one running burst holds alone: its mark that it runs, its
// counters and the space to sort packets by implementation. Taking one costs a
// compare-and-swap on a cache line that no other processor is using, giving it
// back a store; whoever closes a key waits until each shard was seen free.
type shard struct {
	engine *Engine
	state  atomic.Uint64 // odd while a burst holds the shard; counts up, so that a reader sees it move on
	bursts [numOps]Counts
	calls  [ciphers.NumAlgorithms][numOps]callCount
	causes [ciphers.NumStatus]uint64

	index [ciphers.MaxBurst]uint8 // the packets of one implementation
	rest  [ciphers.MaxBurst]uint8 // those that still wait for theirs
	masks [ciphers.MaxBurst]uint8 // the packets of a mask call
	lone  [1]Packet               // a burst of one, for AEAD
	_     [64]byte
}

// The operations that are counted apart.
const (
	opSeal = iota
	opOpen
	opMask
	numOps
)

// callCount counts what an implementation was handed.
type callCount struct{ calls, packets, ok uint64 }

// newShards makes enough shards that a burst rarely meets a taken one, though
// preempted goroutines keep theirs.
func newShards(e *Engine) []shard {
	n := 16
	for n < 4*runtime.GOMAXPROCS(0) {
		n *= 2
	}
	shards := make([]shard, n)
	for i := range shards {
		shards[i].engine = e
	}
	return shards
}

// enter takes a free shard. It starts at one that the goroutine's stack decides,
// so that a goroutine comes back to the same lines, and never waits while one is
// free.
func (e *Engine) enter() *shard {
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here))>>10) * 0x9e3779b97f4a7c15 >> 32
	for tries := uint64(0); ; tries++ {
		s := &e.shards[(at+tries)&uint64(len(e.shards)-1)]
		if v := s.state.Load(); v&1 == 0 && s.state.CompareAndSwap(v, v+1) {
			return s
		}
		if tries&uint64(len(e.shards)-1) == uint64(len(e.shards)-1) {
			runtime.Gosched()
		}
	}
}

// leave gives the shard back. Nothing that the burst did may be seen later than
// that; what comes next may be seen before.
func (s *shard) leave() { storeRelease((*uint64)(unsafe.Pointer(&s.state)), s.state.Load()+1) }

// Quiesce waits until every burst that runs, or is inside a queue, when it is
// called is over. A burst that starts later sees what was written before the call.
func (e *Engine) Quiesce() {
	for i := range e.shards {
		s := &e.shards[i]
		seen := s.state.Load()
		for seen&1 == 1 && s.state.Load() == seen {
			runtime.Gosched()
		}
	}
	e.drainQueues()
}

func (s *shard) countCall(alg Algorithm, op, packets, ok int) {
	c := &s.calls[alg][op]
	c.calls++
	c.packets += uint64(packets)
	c.ok += uint64(ok)
}

func (s *shard) countBurst(op, packets, ok int) {
	b := &s.bursts[op]
	b.Bursts++
	b.Packets += uint64(packets)
	b.OK += uint64(ok)
}

// countCauses counts why packets of a burst failed.
func (s *shard) countCauses(packets []Packet) {
	for i := range packets {
		s.causes[packets[i].Status%Status(ciphers.NumStatus)]++
	}
}

// countMaskCauses counts why packets of a burst that are not among the valid
// ones, which are in order, got no mask. Those keep the Status of an earlier call.
func (s *shard) countMaskCauses(packets []Packet, valid []uint8) {
	for i := range packets {
		if len(valid) > 0 && int(valid[0]) == i {
			valid = valid[1:]
			continue
		}
		s.causes[packets[i].Status%Status(ciphers.NumStatus)]++
	}
}
