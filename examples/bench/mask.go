package main

import (
	"fmt"
	"strings"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

const maskBytes = 16

// maskTable is bench mask.
type maskTable struct{ options }

// Run makes the table.
func (t *maskTable) Run(s streams) error {
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	all := append(t.alone(engines), t.withSealing(engines)...)
	if len(all) == 0 {
		return fmt.Errorf("no mask %q; there are %s, and the AEADs that go with them", t.Alg, strings.Join(maskNames(), ", "))
	}
	return t.play(s, t.printer(s), all, burstAxis)
}

func maskNames() (names []string) {
	for _, m := range load.Masks() {
		names = append(names, m.String())
	}
	return names
}

// alone are the cells of bursts of masks.
func (t *maskTable) alone(engines []*entrant.Entrant) (all cells) {
	bursts := []int{1, 2, 4, 8, 16, fullBurst, 64, 128, 256}
	if t.Quick {
		bursts = []int{1, 8, fullBurst, 256}
	}
	for _, m := range load.Masks() {
		if t.Alg != "" && t.Alg != m.String() {
			continue
		}
		for _, b := range bursts {
			all = append(all, func() (*contest.Contest, error) { return maskCell(m, b, engines) })
		}
	}
	return all
}

func maskCell(m engine.Algorithm, burst int, engines []*entrant.Entrant) (*contest.Contest, error) {
	work := load.Work{Suite: load.Suite{Mask: m}, Op: load.Mask, Sizes: fixed(64).packets(burst), Burst: burst, Keys: 1}
	l, err := load.New(work)
	if err != nil {
		return nil, err
	}
	c := newContest("mask", l)
	return c, enter(c, l, m, engines)
}

// withSealing are the cells of packets that are sealed and masked in one call.
func (t *maskTable) withSealing(engines []*entrant.Entrant) (all cells) {
	sizes := []int{64, 256, 1350, 1450, 8192}
	if t.Quick {
		sizes = []int{64, 256, 1450}
	}
	for _, suite := range load.Suites() {
		if suite.Mask == 0 || t.Alg != "" && t.Alg != suite.Name && t.Alg != suite.Mask.String() {
			continue
		}
		for _, n := range sizes {
			all = append(all, func() (*contest.Contest, error) { return sealMaskCell(suite, n, engines) })
		}
	}
	return all
}

// sealMaskCell compares sealing with masks with the libraries, and with the same
// engine's sealing without masks: what that takes more is what masks cost.
func sealMaskCell(suite load.Suite, n int, engines []*entrant.Entrant) (*contest.Contest, error) {
	work := load.Work{Suite: suite, Op: load.SealMask, Sizes: fixed(n).packets(fullBurst), Burst: fullBurst, Keys: 1}
	both, err := load.New(work)
	if err != nil {
		return nil, err
	}
	work.Op = load.Seal
	seal, err := load.New(work)
	if err != nil {
		return nil, err
	}
	c := newContest("mask", both)
	if err := enter(c, both, suite.Alg, engines); err != nil {
		return nil, err
	}
	return c, enterBeside(c, seal, suite.Alg, engines, string(load.Seal))
}

// burstAxis draws masks over the burst.
var burstAxis = picture.Axis{
	Label: "packets a burst",
	Costs: "ns a packet",
	Of:    func(r table.Row) float64 { return float64(r.Burst) },
	Points: func(r table.Row) (string, []picture.Point) {
		if r.Op != string(load.Mask) || r.Baseline != load.Library {
			return "", nil
		}
		return r.Op + " " + r.Alg, picture.Compared(r)
	},
}
