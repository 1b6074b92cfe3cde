package dtlsadapter

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/record"
)

// Flow is what went one way.
type Flow struct {
	Bursts  uint64       `json:"bursts"`  // bursts in which the records were handed to the engine
	Records uint64       `json:"records"` // sealed, or opened and accepted
	Bytes   uint64       `json:"bytes"`   // of their plaintext
	Drops   record.Tally `json:"drops"`   // by cause
}

// MeanBurst is the mean number of records in a burst.
func (f *Flow) MeanBurst() float64 {
	if f.Bursts == 0 {
		return 0
	}
	return float64(f.Records) / float64(f.Bursts)
}

// counters add up a Flow, with a few atomic operations a burst.
type counters struct {
	bursts  atomic.Uint64
	records atomic.Uint64
	bytes   atomic.Uint64
	drops   record.Drops
}

// add counts a burst. A burst of which nothing reached the engine counts its drops alone.
func (c *counters) add(records, bytes uint64, drops *record.Tally) {
	if records != 0 {
		c.bursts.Add(1)
		c.records.Add(records)
		c.bytes.Add(bytes)
	}
	if drops.Dropped() != 0 {
		drops[record.DropNone] = 0
		c.drops.Add(drops)
	}
}

// drop counts n records that went no further for that cause.
func (c *counters) drop(cause record.Drop, n uint64) {
	var t record.Tally
	t[cause] = n
	c.drops.Add(&t)
}

func (c *counters) snapshot() Flow {
	return Flow{c.bursts.Load(), c.records.Load(), c.bytes.Load(), c.drops.Snapshot()}
}

// Stats are a connection's counters since it was made. In JSON the drops are an object
// with an entry for each cause that occurred.
type Stats struct {
	Sent     Flow `json:"sent"`
	Received Flow `json:"received"`
}
