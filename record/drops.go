package record

import "sync/atomic"

// Tally counts by cause, as plain numbers: one burst's drops while they are
// gathered, or a snapshot of Drops. DropNone counts what was not dropped.
type Tally [NumDrops]uint64

// Dropped is the sum over all causes.
func (t *Tally) Dropped() uint64 {
	var sum uint64
	for _, n := range t[DropNone+1:] {
		sum += n
	}
	return sum
}

// ByName gives every cause that occurred by its name. It allocates.
func (t *Tally) ByName() map[string]uint64 {
	named := make(map[string]uint64)
	for cause, n := range t {
		if n != 0 && Drop(cause) != DropNone {
			named[Drop(cause).String()] = n
		}
	}
	return named
}

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

// Snapshot reads the counters without stopping anything. Causes are read one
// after the other, so that a burst being added may be seen in part.
func (d *Drops) Snapshot() Tally {
	var t Tally
	for cause := range d.counts {
		t[cause] = d.counts[cause].Load()
	}
	return t
}
