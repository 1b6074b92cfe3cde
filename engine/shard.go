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
	state  atomic.Uint64 // odd while a burst holds the shard; counts up, so that a reader sees it move on
	bursts [numOps]Counts
	calls  [ciphers.NumAlgorithms][numOps]callCount
	causes [ciphers.NumStatus]uint64

	index [ciphers.MaxBurst]uint8 // the packets of one implementation
	rest  [ciphers.MaxBurst]uint8 // those that still wait for theirs
	masks [ciphers.MaxBurst]uint8 // the packets of a mask call
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
func newShards() []shard {
	n := 16
	for n < 4*runtime.GOMAXPROCS(0) {
		n *= 2
	}
	return make([]shard, n)
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

func (s *shard) leave() { s.state.Store(s.state.Load() + 1) }

// Quiesce waits until every burst that runs when it is called is over. A burst
// that starts later sees what was written before the call.
func (e *Engine) Quiesce() {
	for i := range e.shards {
		s := &e.shards[i]
		seen := s.state.Load()
		for seen&1 == 1 && s.state.Load() == seen {
			runtime.Gosched()
		}
	}
}

func (s *shard) countCall(alg Algorithm, op, packets, ok int) {
	c := &s.calls[alg][op]
	c.calls++
	c.packets += uint64(packets)
	c.ok += uint64(ok)
}

func (s *shard) countBurst(op int, ps []Packet, ok int) {
	b := &s.bursts[op]
	b.Bursts++
	b.Packets += uint64(len(ps))
	b.OK += uint64(ok)
	if ok == len(ps) {
		return
	}
	for i := range ps {
		s.causes[ps[i].Status%Status(ciphers.NumStatus)]++
	}
}
