package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/exchange"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// kexTable is bench kex.
type kexTable struct{ options }

// kexPeers are the libraries that have rows as baselines of their own: the
// standard one has ML-KEM, but circl's is the faster peer, and OpenSSL is there in
// builds with its tag.
var kexPeers = []string{"circl", "openssl"}

// Run makes the table.
func (t *kexTable) Run(s streams) error {
	groups, err := t.groups()
	if err != nil {
		return err
	}
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	if t.Quick {
		t.Time = cmp.Or(t.Time, 6*time.Second) // a few rounds of the slow groups take the rest of 10
	}
	var all cells
	for _, group := range groups {
		for _, op := range exchange.Operations(group) {
			for _, n := range t.batches(group) {
				all = append(all, func() (*contest.Contest, error) { return kexCell(group, op, n, engines) })
			}
		}
	}
	return t.play(s, newKexPrinter(s.out, t.JSON), all, batchAxis)
}

// batches are how many exchanges a call are measured. With Quick, groups that take
// as long in a batch, since no backend does several at once, have none of those.
func (t *kexTable) batches(group engine.Algorithm) []int {
	switch {
	case !t.Quick:
		return []int{1, 8, 64}
	case slices.Contains([]engine.Algorithm{ciphers.X448, ciphers.P384, ciphers.P521}, group):
		return []int{1}
	}
	return []int{1, 64}
}

// groups lists the table's, or the one asked for.
func (t *kexTable) groups() ([]engine.Algorithm, error) {
	if t.Alg == "" {
		return exchange.Groups(), nil
	}
	var known []string
	for _, g := range exchange.Groups() {
		if g.String() == t.Alg {
			return []engine.Algorithm{g}, nil
		}
		known = append(known, g.String())
	}
	return nil, fmt.Errorf("no algorithm %q in this table; there are %s", t.Alg, strings.Join(known, ", "))
}

// kexCell compares batches of every engine that has the group with the
// libraries, and with the peer.
func kexCell(group engine.Algorithm, op ciphers.Operation, n int, engines []*entrant.Entrant) (*contest.Contest, error) {
	l, err := exchange.New(group, op, n, engines[0].Engine)
	if err != nil {
		return nil, err
	}
	library, err := l.Library()
	if err != nil {
		return nil, err
	}
	c := &contest.Contest{Row: table.Row{Table: "kex", Op: op.String(), Alg: group.String(), Burst: n}}
	base := c.Add(library)
	var own []int
	peers := map[string]int{}
	for _, e := range engines {
		if !e.Has(group) {
			continue
		}
		b := l.Engine(e.Name, e.Engine)
		c.Recheck(b.Check)
		i := c.Add(b.Contestant())
		if own = append(own, i); slices.Contains(kexPeers, e.Name) {
			peers[e.Name] = i
		}
	}
	for _, i := range own {
		c.Compare(i, base, exchange.Library)
		for _, name := range kexPeers {
			if peer, here := peers[name]; here && peer != i {
				c.Compare(i, peer, name)
			}
		}
	}
	return c, nil
}

// batchAxis draws exchanges over the batch.
var batchAxis = picture.Axis{
	Label: "exchanges a batch",
	Costs: "µs an exchange",
	Of:    func(r table.Row) float64 { return float64(r.Burst) },
	Points: func(r table.Row) (string, []picture.Point) {
		if r.Baseline != exchange.Library {
			return "", nil
		}
		points := picture.Compared(r)
		for i := range points {
			points[i].Cost /= 1000
		}
		return r.Op + " " + r.Alg, points
	},
}
