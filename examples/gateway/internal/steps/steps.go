// Package steps measures where the time of a packet goes: how long receiving, looking up,
// numbering, sealing or opening, and sending take. A clock is read once a step of a
// burst, and not at all where there is no clock.
package steps

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Step is a part of a packet's road.
type Step uint8

// The steps, of packets on their way out into tunnels and on their way in.
const (
	OutReceive Step = iota
	OutLookUp       // frame, route and SA or session
	OutNumber       // header, number, padding
	OutSeal
	OutSend
	InReceive
	InLookUp // frame; the SA or session is found with the number
	InNumber // SA or session, number and replay window, padding
	InOpen
	InSend
	numSteps
)

var names = [numSteps]struct{ way, step string }{
	{"out", "receive"}, {"out", "look-up"}, {"out", "number"}, {"out", "seal"}, {"out", "send"},
	{"in", "receive"}, {"in", "look-up"}, {"in", "number+replay"}, {"in", "open"}, {"in", "send"},
}

// count is what a step took. One goroutine writes it.
type count struct{ packets, nanoseconds atomic.Uint64 }

func (c *count) add(packets int, took time.Duration) {
	c.packets.Add(uint64(packets))
	c.nanoseconds.Add(uint64(took))
}

// Clock is one worker's. A nil Clock measures nothing.
type Clock struct {
	start  time.Time
	last   time.Duration
	counts [numSteps]count
}

// NewClock makes one.
func NewClock() *Clock { return &Clock{start: time.Now()} }

// Begin begins the first step of a burst.
func (c *Clock) Begin() {
	if c != nil {
		c.last = time.Since(c.start)
	}
}

// Mark ends a step that some packets took, and begins the next one.
func (c *Clock) Mark(s Step, packets int) {
	if c != nil {
		c.mark(s, packets)
	}
}

func (c *Clock) mark(s Step, packets int) {
	now := time.Since(c.start)
	c.counts[s].add(packets, now-c.last)
	c.last = now
}

// Time is what a step took.
type Time struct {
	Way     string  `json:"way"`  // out or in
	Step    string  `json:"step"` //
	Packets uint64  `json:"packets"`
	NS      float64 `json:"ns_packet"` // nanoseconds a packet, mean
}

// Sum adds up what some clocks measured. What the kernels took is apart from the number
// steps that they are called in.
func Sum(clocks []*Clock, kernels *Kernels) (all []Time) {
	var packets, took [numSteps]uint64
	for _, c := range clocks {
		for s := range numSteps {
			packets[s] += c.counts[s].packets.Load()
			took[s] += c.counts[s].nanoseconds.Load()
		}
	}
	for number, kernel := range map[Step]*count{OutNumber: &kernels.seal, InNumber: &kernels.open} {
		inside := min(kernel.nanoseconds.Load(), took[number])
		packets[number+1], took[number+1] = kernel.packets.Load(), inside
		took[number] -= inside
	}
	for s := range numSteps {
		if packets[s] != 0 {
			all = append(all, Time{names[s].way, names[s].step, packets[s], float64(took[s]) / float64(packets[s])})
		}
	}
	return all
}

// Print writes times for people, one line each way.
func Print(to io.Writer, all []Time) {
	way, sum := "", 0.0
	end := func() {
		if way != "" {
			fmt.Fprintf(to, "; in all %.1f ns a packet\n", sum)
		}
	}
	for _, t := range all {
		if t.Way != way {
			end()
			way, sum = t.Way, 0
			fmt.Fprintf(to, "%-3s ", way)
		} else {
			fmt.Fprint(to, ", ")
		}
		sum += t.NS
		fmt.Fprintf(to, "%s %.1f", t.Step, t.NS)
	}
	end()
}
