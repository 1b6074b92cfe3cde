package main

import (
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// peer is the foreign backend that has rows as a baseline of its own where a
// build has it.
const peer = "ipsecmb"

func newContest(name string, l *load.Load) *contest.Contest {
	c := &contest.Contest{Bytes: l.Mean()}
	c.Row = table.Row{Table: name, Op: string(l.Op), Alg: l.Suite.Name, Bytes: int(l.Mean() + 0.5), Burst: l.Burst, Keys: l.Keys}
	if l.Op == load.Mask {
		c.Row.Alg, c.Row.Bytes, c.Bytes = l.Suite.Mask.String(), maskBytes, maskBytes
	}
	return c
}

// enter lets the libraries and every engine that has the algorithm do the load,
// and compares each engine with the libraries and with the peer.
func enter(c *contest.Contest, l *load.Load, alg engine.Algorithm, engines []*entrant.Entrant) error {
	library, err := l.Library()
	if err != nil {
		return err
	}
	base, foreign := c.Add(library), -1
	var own []int
	for _, e := range engines {
		if !e.Has(alg) {
			continue
		}
		i, err := enterOne(c, l, e)
		if err != nil {
			return err
		}
		if own = append(own, i); e.Name == peer {
			foreign = i
		}
	}
	for _, i := range own {
		c.Compare(i, base, load.Library)
	}
	for _, i := range own {
		if foreign >= 0 && i != foreign {
			c.Compare(i, foreign, peer)
		}
	}
	return nil
}

func enterOne(c *contest.Contest, l *load.Load, e *entrant.Entrant) (int, error) {
	b, err := l.Engine(e.Name, e.Engine)
	if err != nil {
		return 0, err
	}
	c.Finally(b.Close)
	c.Recheck(b.Check)
	return c.Add(b.Contestant()), nil
}

// enterBeside lets every engine do another load too, and compares what it did
// before with that. The contestants of before are there already: the libraries,
// and then the engines in order.
func enterBeside(c *contest.Contest, other *load.Load, alg engine.Algorithm, engines []*entrant.Entrant, baseline string) error {
	before := 0
	for _, e := range engines {
		if !e.Has(alg) {
			continue
		}
		before++
		i, err := enterOne(c, other, e)
		if err != nil {
			return err
		}
		c.Compare(before, i, baseline)
	}
	return nil
}
