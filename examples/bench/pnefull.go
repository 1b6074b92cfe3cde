package main

import (
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/pin"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// method is how often a figure is measured over how many packets, the best counting.
type method struct{ packets, runs int }

// winquicMethod is that of WinQuic's figures. With it the table takes hours.
var winquicMethod = method{10_000_000, 10}

// full measures by a method.
func (t *pneTable) full(s streams, suites []load.Suite, m method) error {
	engines, err := entrants(s)
	if err != nil {
		return err
	}
	if _, err := pin.Thread(); err != nil {
		return err
	}
	printer, progress := newPNEPrinter(s.out, t.JSON), contest.ProgressOn(s.err)
	defer progress.Clear()
	done, cells := 0, len(suites)*len(pneBursts)*len(pneSizes)
	for _, suite := range suites {
		for _, burst := range pneBursts {
			for _, n := range pneSizes {
				progress.Show(done, cells)
				done++
				if err := m.cell(printer, suite, n, burst, engines[0]); err != nil {
					return err
				}
			}
		}
	}
	return printer.Close()
}

// cell prints the rows of one size and burst: the libraries' where the burst is 1, and
// the engine's.
func (m method) cell(p *pnePrinter, suite load.Suite, n, burst int, e *entrant.Entrant) error {
	var library, own [2]float64
	for i, op := range []load.Op{load.Seal, load.SealMask} {
		l, err := load.New(load.Work{Suite: suite, Op: op, Sizes: fixed(n).packets(burst), Burst: burst, Keys: 1})
		if err != nil {
			return err
		}
		if library[i], own[i], err = m.both(l, e); err != nil {
			return err
		}
	}
	row := table.Row{Table: "pne", Alg: suite.Name, Bytes: n, Burst: burst, Keys: 1, Core: -1, Rounds: m.runs}
	if burst == 1 {
		if err := p.bestRows(row, load.Library, library, library); err != nil {
			return err
		}
	}
	return p.bestRows(row, e.Name, own, library)
}

// both times the libraries and the engine at a load, in nanoseconds a packet.
func (m method) both(l *load.Load, e *entrant.Entrant) (library, own float64, err error) {
	c, err := l.Library()
	if err != nil {
		return 0, 0, err
	}
	if library, err = m.best(c); err != nil {
		return 0, 0, err
	}
	b, err := l.Engine(e.Name, e.Engine)
	if err != nil {
		return 0, 0, err
	}
	defer b.Close()
	own, err = m.best(b.Contestant())
	return library, own, err
}

func (m method) best(c pair.Contestant) (ns float64, err error) {
	best := time.Duration(0)
	for range m.runs {
		start := pin.Clock()
		if err := c.Run(m.packets / c.Items); err != nil {
			return 0, err
		}
		if took := pin.Clock().Sub(start); best == 0 || took < best {
			best = took
		}
	}
	return float64(best) / float64(m.packets/c.Items*c.Items), nil
}

// bestRows prints sealing, and sealing with masks over the same without.
func (p *pnePrinter) bestRows(r table.Row, backend string, ns, library [2]float64) error {
	r.Backend = backend
	seal := r
	seal.Op, seal.Baseline, seal.BaseNS, seal.Ratio = string(load.Seal), load.Library, library[0], library[0]/ns[0]
	seal.Delta = ns[0] - library[0]
	seal.SetTime(ns[0], float64(r.Bytes))
	if err := p.print(pneRow{Row: seal, Mbps: 1000 * seal.Gbps}); err != nil {
		return err
	}
	both := r
	both.Op, both.Baseline, both.BaseNS, both.Ratio = string(load.SealMask), string(load.Seal), ns[0], ns[0]/ns[1]
	both.Delta = ns[1] - ns[0]
	both.SetTime(ns[1], float64(r.Bytes))
	row := pneRow{Row: both, Mbps: 1000 * both.Gbps}
	row.setOverhead()
	return p.print(row)
}
