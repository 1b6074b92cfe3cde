package ipsecadapter

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/record"
)

// Flow is what went one way.
type Flow struct {
	Bursts  uint64       `json:"bursts"`  // calls of the engine
	Packets uint64       `json:"packets"` // sealed, or opened and delivered
	Bytes   uint64       `json:"bytes"`   // of those packets without what ESP or AH adds
	Drops   record.Tally `json:"drops"`   // by cause
}

// MeanBurst is the mean number of packets in a call of the engine.
func (f *Flow) MeanBurst() float64 {
	if f.Bursts == 0 {
		return 0
	}
	return float64(f.Packets) / float64(f.Bursts)
}

// counters add up a Flow, with a few atomic operations a burst.
type counters struct {
	bursts  atomic.Uint64
	packets atomic.Uint64
	bytes   atomic.Uint64
	drops   record.Drops
}

// result is what became of a burst.
type result struct {
	done    int    // how many came through
	bytes   uint64 // of them, outside ESP and AH
	dropped bool   // the tally has something
	tally   record.Tally
}

// drop gives a datagram its cause.
func (r *result) drop(d *record.Datagram, cause record.Drop) {
	d.Drop = cause
	r.tally[cause]++
	r.dropped = true
}

// add counts a burst, forgets it and returns how many came through. One of which nothing
// did counts its drops alone.
func (c *counters) add(r *result) (done int) {
	if done = r.done; done != 0 {
		c.bursts.Add(1)
		c.packets.Add(uint64(done))
		c.bytes.Add(r.bytes)
	}
	r.done, r.bytes = 0, 0
	if r.dropped {
		c.drops.Add(&r.tally)
		r.tally, r.dropped = record.Tally{}, false
	}
	return done
}

func (c *counters) snapshot() Flow {
	return Flow{c.bursts.Load(), c.packets.Load(), c.bytes.Load(), c.drops.Snapshot()}
}
