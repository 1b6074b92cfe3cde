package main

import (
	"fmt"

	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

const fullBurst = 32

// aeadTable is bench aead.
type aeadTable struct {
	options
	Align int `help:"Where payloads start in a line of 64 bytes."`
}

// shape is the work of a cell, less the suite and the operation.
type shape struct {
	mix   mix
	burst int
	keys  int
}

// Run makes the table.
func (t *aeadTable) Run(s streams) error {
	if t.Align < 0 || t.Align > 63 {
		return fmt.Errorf("--align is 0 to 63")
	}
	suites, err := load.FindSuites(t.Alg)
	if err != nil {
		return err
	}
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	var all cells
	for _, suite := range suites {
		for _, op := range []load.Op{load.Seal, load.Open} {
			for _, sh := range t.shapes() {
				all = append(all, func() (*contest.Contest, error) { return t.cell(suite, op, sh, engines) })
			}
			all = append(all, func() (*contest.Contest, error) { return t.mixed(suite, op, engines) })
		}
	}
	return t.play(s, t.printer(s), all, bytesAxis)
}

// shapes lists sizes, bursts and numbers of keys.
func (t *aeadTable) shapes() (all []shape) {
	sizes, bursts := []int{16, 64, 256, 576, 1350, 1450, 8192}, []int{1, 2, 4, 8, 16, fullBurst, 64, 128, 256}
	if t.Quick {
		sizes, bursts = []int{64, 256, 1450, 8192}, []int{1, fullBurst}
	}
	for _, n := range sizes {
		for _, b := range bursts {
			all = append(all, shape{fixed(n), b, 1})
		}
		all = append(all, shape{fixed(n), fullBurst, fullBurst})
	}
	return all
}

func (t *aeadTable) cell(suite load.Suite, op load.Op, sh shape, engines []*entrant.Entrant) (*contest.Contest, error) {
	l, err := load.New(load.Work{Suite: suite, Op: op, Sizes: sh.mix.packets(sh.burst), Burst: sh.burst, Keys: sh.keys, Align: t.Align})
	if err != nil {
		return nil, err
	}
	c := newContest("aead", l)
	return c, enter(c, l, suite.Alg, engines)
}

// mixed is a burst of mixed lengths, and the same packets sorted by length.
func (t *aeadTable) mixed(suite load.Suite, op load.Op, engines []*entrant.Entrant) (*contest.Contest, error) {
	work := load.Work{Suite: suite, Op: op, Sizes: imix.packets(fullBurst), Burst: fullBurst, Keys: 1, Align: t.Align}
	shuffled, err := load.New(work)
	if err != nil {
		return nil, err
	}
	work.Sizes = sortBursts(work.Sizes, fullBurst)
	sorted, err := load.New(work)
	if err != nil {
		return nil, err
	}
	c := newContest("aead", shuffled)
	c.Row.Mix = imix.name
	if err := enter(c, shuffled, suite.Alg, engines); err != nil {
		return nil, err
	}
	return c, enterBeside(c, sorted, suite.Alg, engines, "sorted")
}

// bytesAxis draws full bursts under one key over the packets' size.
var bytesAxis = picture.Axis{
	Label: "bytes a packet, bursts of 32",
	Costs: "ns a packet",
	Of:    func(r table.Row) float64 { return float64(r.Bytes) },
	Points: func(r table.Row) (string, []picture.Point) {
		if r.Baseline != load.Library || r.Burst != fullBurst || r.Keys != 1 || r.Mix != "" {
			return "", nil
		}
		return r.Op + " " + r.Alg, picture.Compared(r)
	},
}
