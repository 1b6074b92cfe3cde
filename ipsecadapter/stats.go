package ipsecadapter

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/record"
)

// Flow is what went one way.
type Flow struct {
	Bursts  uint64       `json:"bursts"`  // calls of the engine
	Packets uint64       `json:"packets"` // sealed, or opened and delivered
	Bytes   uint64       `json:"bytes"`   // of those packets outside ESP
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

// add counts a burst. One of which nothing came through counts its drops alone.
func (c *counters) add(bytes uint64, tally *record.Tally) {
	if done := tally[record.DropNone]; done != 0 {
		c.bursts.Add(1)
		c.packets.Add(done)
		c.bytes.Add(bytes)
	}
	if tally.Dropped() != 0 {
		tally[record.DropNone] = 0
		c.drops.Add(tally)
	}
}

func (c *counters) snapshot() Flow {
	return Flow{c.bursts.Load(), c.packets.Load(), c.bytes.Load(), c.drops.Snapshot()}
}
