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
	OutEncrypt      // of a combined algorithm, in the place of OutSeal
	OutAuthenticate // likewise
	OutSend
	InReceive
	InLookUp // frame; the SA or session is found with the number
	InNumber // SA or session, number and replay window, padding
	InOpen
	InAuthenticate // of a combined algorithm, in the place of InOpen
	InDecrypt      // likewise
	InSend
	numSteps
)

var names = [numSteps]struct{ way, step string }{
	{"out", "receive"}, {"out", "look-up"}, {"out", "number"}, {"out", "seal"}, {"out", "encrypt"}, {"out", "authenticate"}, {"out", "send"},
	{"in", "receive"}, {"in", "look-up"}, {"in", "number+replay"}, {"in", "open"}, {"in", "authenticate"}, {"in", "decrypt"}, {"in", "send"},
}

// hows say of steps that were not measured as the others how they were. The kernel of a
// combined algorithm is one.
var hows = [numSteps]string{
	OutAuthenticate: howAlone, OutEncrypt: howRest, InAuthenticate: howAlone, InDecrypt: howRest,
}

const (
	howAlone = "measured alone, over again, on one burst in 64"
	howRest  = "the rest of what cipher and authenticator took together"
)

// count is what a step took. One goroutine writes it.
type count struct{ packets, nanoseconds atomic.Uint64 }

func (c *count) reset() {
	c.packets.Store(0)
	c.nanoseconds.Store(0)
}

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
	NS      float64 `json:"ns_packet"`     // nanoseconds a packet, mean
	How     string  `json:"how,omitempty"` // it was measured, if not as the others
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
	kernels.divide(&packets, &took)
	for s := range numSteps {
		if packets[s] != 0 {
			all = append(all, Time{names[s].way, names[s].step, packets[s], float64(took[s]) / float64(packets[s]), hows[s]})
		}
	}
	return all
}

// divide takes the kernels out of the steps that they are called in.
func (k *Kernels) divide(packets, took *[numSteps]uint64) {
	for _, way := range []struct {
		number, one, mac, cipher Step
		kernel                   *count
		both                     *combined
	}{
		{OutNumber, OutSeal, OutAuthenticate, OutEncrypt, &k.seal, &k.sealBoth},
		{InNumber, InOpen, InAuthenticate, InDecrypt, &k.open, &k.openBoth},
	} {
		left := took[way.number]
		take := func(to Step, n, ns uint64) {
			ns = min(ns, left)
			left -= ns
			packets[to] += n
			took[to] += ns
		}
		one, both := way.kernel, &way.both.both
		take(way.one, one.packets.Load(), one.nanoseconds.Load())
		if mac, cipher, ok := way.both.took(); ok {
			take(way.mac, both.packets.Load(), mac)
			take(way.cipher, both.packets.Load(), cipher)
		} else {
			take(way.one, both.packets.Load(), both.nanoseconds.Load())
		}
		left -= min(left, way.both.besides.nanoseconds.Load())
		took[way.number] = left
	}
}

// Print writes times for people, one line each way, and what stands with an asterisk.
func Print(to io.Writer, all []Time) {
	way, sum, notes := "", 0.0, ""
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
		mark := ""
		if t.How != "" {
			mark = "*"
			notes += fmt.Sprintf("* %s %s: %s\n", t.Way, t.Step, t.How)
		}
		fmt.Fprintf(to, "%s%s %.1f", t.Step, mark, t.NS)
	}
	end()
	fmt.Fprint(to, notes)
}
