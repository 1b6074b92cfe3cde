package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// pneTable is bench pne: what packet-number protection costs on top of sealing a
// QUIC packet, beside what it cost in WinQuic (see winquic).
type pneTable struct {
	options
	Full bool `help:"Measure as WinQuic was measured: every figure over 10,000,000 packets, best of 10; takes hours."`
}

// quicSuites are the suites of QUIC (RFC 9001 section 5.3).
var quicSuites = []string{"aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes-128-ccm"}

var (
	pneSizes  = []int{4, 16, 64, 256, 600, 1000, 1200, 1450}
	pneBursts = []int{1, 8, 32, 128}
)

// What a pair of contestants is compared for, where a row of the table has more to say
// than the baseline's name.
const (
	pneSeal    = "seal over the libraries"
	pneLibrary = "the libraries' own cost"
)

// Run makes the table.
func (t *pneTable) Run(s streams) error {
	suites, err := t.suites()
	if err != nil {
		return err
	}
	if t.Full && t.Plot != "" {
		return fmt.Errorf("--plot goes without --full")
	}
	if t.Full {
		return t.full(s, suites, winquicMethod)
	}
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	return t.play(s, newPNEPrinter(s.out, t.JSON), t.cells(suites, engines), pneAxis)
}

func (t *pneTable) suites() (all []load.Suite, err error) {
	for _, s := range load.Suites() {
		if slices.Contains(quicSuites, s.Name) && (t.Alg == "" || t.Alg == s.Name) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no algorithm %q in QUIC; there are %s", t.Alg, strings.Join(quicSuites, ", "))
	}
	return all, nil
}

func (t *pneTable) cells(suites []load.Suite, engines []*entrant.Entrant) (all cells) {
	e := engines[0]
	std := engines[slices.IndexFunc(engines, func(e *entrant.Entrant) bool { return e.Name == load.Library })] // every build has it
	bursts := pneBursts
	if t.Quick {
		bursts = []int{1, fullBurst}
	}
	for _, suite := range suites {
		for _, b := range bursts {
			for _, n := range pneSizes {
				all = append(all, func() (*contest.Contest, error) { return pneCell(suite, n, b, e) })
			}
		}
	}
	for _, suite := range suites {
		for _, n := range []int{64, 1200} {
			all = append(all, func() (*contest.Contest, error) { return packetCell(suite, n, fullBurst, e, std) })
		}
	}
	return all
}

// pneCell lets the libraries and an engine seal without masks and with them.
func pneCell(suite load.Suite, n, burst int, e *entrant.Entrant) (*contest.Contest, error) {
	work := load.Work{Suite: suite, Op: load.SealMask, Sizes: fixed(n).packets(burst), Burst: burst, Keys: 1}
	both, err := load.New(work)
	if err != nil {
		return nil, err
	}
	work.Op = load.Seal
	seal, err := load.New(work)
	if err != nil {
		return nil, err
	}
	c := newContest("pne", both)
	var all [4]int
	for i, l := range []*load.Load{seal, both} {
		library, err := l.Library()
		if err != nil {
			return nil, err
		}
		all[i] = c.Add(library)
		if all[2+i], err = enterOne(c, l, e); err != nil {
			return nil, err
		}
	}
	if burst == 1 {
		c.Compare(all[1], all[0], pneLibrary)
	}
	c.Compare(all[2], all[0], pneSeal)
	c.Compare(all[3], all[1], load.Library)
	c.Compare(all[3], all[2], string(load.Seal))
	return c, nil
}

// pneRow is a row with what the masks cost.
type pneRow struct {
	table.Row
	Mbps     float64  `json:"mbps"`
	Overhead *float64 `json:"overhead_pct,omitempty"` // seal+mask over the same backend's seal
	WinQuic  *float64 `json:"winquic_overhead_pct,omitempty"`
}

// asRow gives a contest's row its operation and its cost.
func asRow(r table.Row) pneRow {
	row := pneRow{Row: r, Mbps: 1000 * r.Gbps}
	switch r.Baseline {
	case pneSeal:
		row.Op, row.Baseline = string(load.Seal), load.Library
	case packetBare:
		row.Op, row.Baseline = protectOp, load.Library
	case pneLibrary:
		row.Baseline = string(load.Seal)
		row.setOverhead()
	case string(load.Seal):
		row.setOverhead()
	}
	return row
}

// setOverhead takes the median of the rounds' ratios, which drift least.
func (r *pneRow) setOverhead() {
	percent := 100 * (1/r.Ratio - 1)
	r.Overhead = &percent
	if w, ok := winquicOf(r.Bytes); ok {
		r.WinQuic = &w.overhead
	}
}

// pneAxis draws what packets take over their size, without masks and with them.
var pneAxis = picture.Axis{
	Label: "bytes a packet",
	Costs: "ns a packet",
	Of:    func(r table.Row) float64 { return float64(r.Bytes) },
	Points: func(r table.Row) (string, []picture.Point) {
		op := load.SealMask
		switch {
		case r.Burst != fullBurst || r.Op == packetOp || r.Op == protectOp:
			return "", nil
		case r.Baseline == pneSeal:
			op = load.Seal
		case r.Baseline != load.Library:
			return "", nil
		}
		return r.Alg, []picture.Point{
			{Name: fmt.Sprintf("%s %s, one a call", load.Library, op), Cost: r.BaseNS, Baseline: true},
			{Name: fmt.Sprintf("%s %s, bursts of %d", r.Backend, op, r.Burst), Cost: r.NS},
		}
	},
}
