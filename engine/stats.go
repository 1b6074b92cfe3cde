package engine

import (
	"runtime"

	"github.com/sealburst/sealburst/ciphers"
)

// Stats are an engine's counters since New.
type Stats struct {
	Seal Counts `json:"seal"` // SealMask counts here
	Open Counts `json:"open"`
	Mask Counts `json:"mask"`
	// Exchange counts batches of key exchanges and their entries.
	Exchange Counts `json:"exchange"`
	// Causes counts the packets that failed, by the name of their Status.
	Causes map[string]uint64 `json:"causes,omitempty"`
	// Calls counts what implementations were handed, by algorithm.
	Calls []Calls `json:"calls,omitempty"`
}

// Counts are what callers handed in for one operation.
type Counts struct {
	Bursts  uint64 `json:"bursts"`
	Packets uint64 `json:"packets"`
	OK      uint64 `json:"ok"`
}

// MeanBurst is the mean number of packets that reached the engine together.
func (c Counts) MeanBurst() float64 { return mean(c.Packets, c.Bursts) }

// Calls are the entries into implementations of one algorithm for one operation.
type Calls struct {
	Algorithm string `json:"algorithm"`
	Op        string `json:"op"`
	Entries   uint64 `json:"entries"`
	Packets   uint64 `json:"packets"`
	OK        uint64 `json:"ok"`
}

// MeanEntry is the mean number of packets an entry.
func (c Calls) MeanEntry() float64 { return mean(c.Packets, c.Entries) }

func mean(packets, bursts uint64) float64 {
	if bursts == 0 {
		return 0
	}
	return float64(packets) / float64(bursts)
}

var opNames = [numOps]string{opSeal: "seal", opOpen: "open", opMask: "mask"}

// total is the sum over shards.
type total struct {
	bursts [numOps]Counts
	calls  [ciphers.NumAlgorithms][numOps]callCount
	causes [ciphers.NumStatus]uint64
}

// Stats sums the counters of all shards. Bursts go on meanwhile: it holds a
// shard only while no burst does, and a burst that finds it held takes another.
func (e *Engine) Stats() Stats {
	var t total
	for i := range e.shards {
		t.add(&e.shards[i])
	}
	st := Stats{Seal: t.bursts[opSeal], Open: t.bursts[opOpen], Mask: t.bursts[opMask]}
	for cause, n := range t.causes {
		if n == 0 || Status(cause) == ciphers.StatusOK {
			continue
		}
		if st.Causes == nil {
			st.Causes = map[string]uint64{}
		}
		st.Causes[Status(cause).String()] = n
	}
	for _, alg := range ciphers.Algorithms() {
		for op, c := range t.calls[alg] {
			if c.calls > 0 {
				st.Calls = append(st.Calls, Calls{alg.String(), opNames[op], c.calls, c.packets, c.ok})
			}
		}
	}
	e.exchange.addTo(&st)
	return st
}

func (t *total) add(s *shard) {
	v := s.state.Load()
	for v&1 == 1 || !s.state.CompareAndSwap(v, v+1) {
		runtime.Gosched()
		v = s.state.Load()
	}
	defer s.leave()
	for op := range s.bursts {
		t.bursts[op].Bursts += s.bursts[op].Bursts
		t.bursts[op].Packets += s.bursts[op].Packets
		t.bursts[op].OK += s.bursts[op].OK
	}
	for alg := range s.calls {
		for op, c := range s.calls[alg] {
			t.calls[alg][op].calls += c.calls
			t.calls[alg][op].packets += c.packets
			t.calls[alg][op].ok += c.ok
		}
	}
	for i, n := range s.causes {
		t.causes[i] += n
	}
}
