package contest

import (
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// Contest is one cell of a table: some work, those who do it, and who is
// compared with whom.
type Contest struct {
	Row   table.Row // what all its rows have in common
	Bytes float64   // payload of a packet, on average

	contestants []pair.Contestant
	pairs       []comparison
	checks      []func() error
	closers     []func()
}

// comparison is one row to be.
type comparison struct {
	own, base int
	backend   string
	baseline  string
}

// Add enters a contestant and gives its number.
func (c *Contest) Add(p pair.Contestant) int {
	c.contestants = append(c.contestants, p)
	return len(c.contestants) - 1
}

// Recheck is called after the match; its error spoils the cell.
func (c *Contest) Recheck(check func() error) { c.checks = append(c.checks, check) }

// Finally is called when the cell is over.
func (c *Contest) Finally(f func()) { c.closers = append(c.closers, f) }

// Compare makes a row of two contestants.
func (c *Contest) Compare(own, base int, baseline string) {
	c.pairs = append(c.pairs, comparison{own, base, c.contestants[own].Name, baseline})
}

func (c *Contest) rowOf(s pair.Scores, p comparison) table.Row {
	r := c.Row
	r.Backend, r.Baseline = p.backend, p.baseline
	r.SetTime(s.NS(p.own), c.Bytes)
	r.BaseNS, r.Ratio = s.NS(p.base), s.Ratio(p.own, p.base)
	r.Delta, r.Spread = s.Delta(p.own, p.base), s.Spread(p.own, p.base)
	return r
}

func (c *Contest) recheck() error {
	for _, check := range c.checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Contest) close() {
	for _, f := range c.closers {
		f()
	}
}
