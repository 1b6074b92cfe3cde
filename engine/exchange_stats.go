package engine

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
)

// exchangeCounters count once a batch, which takes tens of microseconds: they
// are atomics, and a batch holds no shard, for which closing a key would wait.
type exchangeCounters struct {
	batches, entries, ok atomic.Uint64
	calls                [ciphers.NumAlgorithms][ciphers.NumOperations]exchangeCalls
	causes               [ciphers.NumStatus]atomic.Uint64
}

type exchangeCalls struct{ calls, entries, ok atomic.Uint64 }

func (c *exchangeCounters) countBatch(batch []Exchange, ok int) {
	c.batches.Add(1)
	c.entries.Add(uint64(len(batch)))
	c.ok.Add(uint64(ok))
	if ok == len(batch) {
		return
	}
	for i := range batch {
		c.causes[batch[i].Status%Status(ciphers.NumStatus)].Add(1)
	}
}

func (c *exchangeCounters) countCall(group Algorithm, op ciphers.Operation, entries, ok int) {
	n := &c.calls[group][op]
	n.calls.Add(1)
	n.entries.Add(uint64(entries))
	n.ok.Add(uint64(ok))
}

// addTo puts the counters into st, behind those of packets.
func (c *exchangeCounters) addTo(st *Stats) {
	st.Exchange = Counts{c.batches.Load(), c.entries.Load(), c.ok.Load()}
	for cause := range c.causes {
		n := c.causes[cause].Load()
		if n == 0 || Status(cause) == ciphers.StatusOK {
			continue
		}
		if st.Causes == nil {
			st.Causes = map[string]uint64{}
		}
		st.Causes[Status(cause).String()] += n
	}
	for _, group := range ciphers.Algorithms() {
		for op := range c.calls[group] {
			if n := &c.calls[group][op]; n.calls.Load() > 0 {
				st.Calls = append(st.Calls, Calls{group.String(), ciphers.Operation(op).String(), n.calls.Load(), n.entries.Load(), n.ok.Load()})
			}
		}
	}
}
