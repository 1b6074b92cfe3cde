package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// keysTable is bench keys.
type keysTable struct {
	options
	Most int `default:"1000000" help:"The most keys; a million take 2 to 4 GB of memory."`
}

// The ways in which packets choose among keys.
const (
	uniform = "uniform"
	skewed  = "skewed" // the k-th key comes in proportion to 1/k^1.1
)

// manyKeys is from where on backends are measured one at a time, each beside the
// libraries, since the keys of all of them do not fit into memory.
const manyKeys = 100_000

// manySize is the only packet size for many keys.
const manySize = 256

// Run makes the table.
func (t *keysTable) Run(s streams) error {
	if t.Most < 1 {
		return fmt.Errorf("--most is at least 1")
	}
	name := t.Alg
	if name == "" && t.Quick {
		name = "aes-128-gcm"
	}
	suites, err := load.FindSuites(name)
	if err != nil {
		return err
	}
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	if t.Quick {
		t.Time = cmp.Or(t.Time, 3*time.Second) // making a million keys takes the rest of 10
	}
	var all cells
	for _, suite := range suites {
		for _, size := range t.sizes() {
			all = append(all, t.growing(suite, size, engines)...)
		}
	}
	return t.play(s, t.printer(s), all, keysAxis)
}

func (t *keysTable) sizes() []int {
	if t.Quick {
		return []int{manySize}
	}
	return []int{64, manySize, 1450}
}

// growing are the cells of more and more keys.
func (t *keysTable) growing(suite load.Suite, size int, engines []*entrant.Entrant) (all cells) {
	for _, n := range []int{1, fullBurst, 100, 10_000, 1_000_000} {
		if n > t.Most {
			break
		}
		for _, draw := range []string{uniform, skewed} {
			if t.leaveOut(size, n, draw) {
				continue
			}
			for _, some := range t.together(suite, n, engines) {
				all = append(all, func() (*contest.Contest, error) { return keysCell(suite, size, n, draw, some) })
			}
		}
	}
	return all
}

// leaveOut says which cells are not worth their time: a draw among one key is no
// draw, and many keys take seconds to make.
func (t *keysTable) leaveOut(size, keys int, draw string) bool {
	switch {
	case keys == 1:
		return draw == skewed
	case keys >= manyKeys:
		return size != manySize || t.Quick && draw == skewed
	}
	return false
}

// together groups the engines that are measured at once. With Quick, only the
// first of many keys is measured, the engine that chooses for itself.
func (t *keysTable) together(suite load.Suite, keys int, engines []*entrant.Entrant) (groups [][]*entrant.Entrant) {
	if keys < manyKeys {
		return [][]*entrant.Entrant{engines}
	}
	for _, e := range engines {
		if e.Has(suite.Alg) {
			groups = append(groups, []*entrant.Entrant{e})
		}
	}
	if t.Quick {
		return groups[:1]
	}
	return groups
}

// keysCell compares bursts under drawn keys with the libraries, and with the
// same engine under one key.
func keysCell(suite load.Suite, size, keys int, draw string, engines []*entrant.Entrant) (*contest.Contest, error) {
	work := load.Work{
		Suite: suite, Op: load.Seal, Sizes: fixed(size).packets(fullBurst), Burst: fullBurst,
		Keys: keys, Draw: drawKeys(keys, draw),
	}
	many, err := load.New(work)
	if err != nil {
		return nil, err
	}
	work.Keys, work.Draw = 1, drawKeys(1, uniform)
	one, err := load.New(work)
	if err != nil {
		return nil, err
	}
	c := newContest("keys", many)
	c.Row.Draw = draw
	if err := enter(c, many, suite.Alg, engines); err != nil || keys == 1 {
		return c, err
	}
	return c, enterBeside(c, one, suite.Alg, engines, "one-key")
}

// drawKeys is which key each packet in turn is under, enough of them that a
// million keys do not come round within the caches.
func drawKeys(keys int, draw string) []uint32 {
	rng := rand.New(rand.NewPCG(3, 4))
	seq := make([]uint32, max(1<<16, keys))
	zipf := rand.NewZipf(rng, 1.1, 1, uint64(keys-1))
	place := rng.Perm(keys) // neighbours in rank are not neighbours in memory
	for i := range seq {
		if draw == skewed {
			seq[i] = uint32(place[zipf.Uint64()])
		} else {
			seq[i] = uint32(rng.IntN(keys))
		}
	}
	return seq
}

// keysAxis draws uniform draws over the number of keys.
var keysAxis = picture.Axis{
	Label: "keys, drawn uniformly, bursts of 32",
	Costs: "ns a packet",
	Of:    func(r table.Row) float64 { return float64(r.Keys) },
	Points: func(r table.Row) (string, []picture.Point) {
		if r.Baseline != load.Library || r.Draw != uniform {
			return "", nil
		}
		return fmt.Sprintf("%s %s, %d bytes", r.Op, r.Alg, r.Bytes), picture.Compared(r)
	},
}
