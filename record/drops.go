package record

import "sync/atomic"

// Drops counts by cause for good. Any number of goroutines may add and read at
// once; each cause only grows. The zero value is ready.
type Drops struct {
	counts [NumDrops]atomic.Uint64
}

// Add adds what a burst gathered: one atomic operation for each cause in it.
func (d *Drops) Add(t *Tally) {
	for cause, n := range t {
		if n != 0 {
			d.counts[cause].Add(n)
		}
	}
}

// Count adds n of one cause, with one atomic operation and nothing else.
func (d *Drops) Count(cause Drop, n int) { d.counts[cause].Add(uint64(n)) }

// Snapshot reads the counters without stopping anything. Causes are read one
// after the other, so that a burst being added may be seen in part.
func (d *Drops) Snapshot() Tally {
	var t Tally
	for cause := range d.counts {
		t[cause] = d.counts[cause].Load()
	}
	return t
}
