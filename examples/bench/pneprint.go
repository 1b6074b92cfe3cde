package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// winquic is a line of what packet number encryption, now header protection, cost in
// WinQuic on bcrypt: the same buffer encrypted 10,000,000 times, best of 10, posted to
// the QUIC working group's list on 2018-06-21. Another machine and another year: ratios
// compare, times do not.
type winquic struct {
	bytes            int
	plain, protected float64 // milliseconds
	overhead         float64 // percent, as posted
}

var winquics = [...]winquic{
	{4, 2284.671, 3027.657, 33}, {16, 2102.402, 2828.204, 35}, {64, 2198.883, 2907.577, 32}, {256, 2758.3, 3490.28, 27},
	{600, 4669.283, 5424.539, 16}, {1000, 6130.139, 6907.805, 13}, {1200, 6458.679, 7229.672, 12}, {1450, 7876.312, 8670.16, 10},
}

func winquicOf(bytes int) (winquic, bool) {
	for _, w := range winquics {
		if w.bytes == bytes {
			return w, true
		}
	}
	return winquic{}, false
}

// pnePrinter prints rows with what the masks cost.
type pnePrinter struct {
	json *json.Encoder // nil for people
	text *tabwriter.Writer
	head string
}

func newPNEPrinter(w io.Writer, asJSON bool) *pnePrinter {
	if asJSON {
		return &pnePrinter{json: json.NewEncoder(w)}
	}
	return &pnePrinter{text: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

// Row takes a contest's row.
func (p *pnePrinter) Row(r table.Row) error { return p.print(asRow(r)) }

func (p *pnePrinter) print(r pneRow) error {
	if p.json != nil {
		return p.json.Encode(r)
	}
	if head := fmt.Sprintf("%s, bursts of %d", r.Alg, r.Burst); head != p.head {
		if err := p.Close(); err != nil {
			return err
		}
		p.head = head
		fmt.Fprintf(p.text, "%s\nbytes\top\tbackend\tns\tMbps\tbaseline\tns\tratio\t±%%\tΔns\toverhead %%\tWinQuic %%\t\n", head)
	}
	overhead, posted := "", ""
	if r.Overhead != nil {
		overhead = fmt.Sprintf("%.1f", *r.Overhead)
	}
	if r.WinQuic != nil {
		posted = fmt.Sprintf("%.0f", *r.WinQuic)
	}
	_, err := fmt.Fprintf(p.text, "%d\t%s\t%s\t%.1f\t%.0f\t%s\t%.1f\t%.2f\t%.0f\t%+.1f\t%s\t%s\t\n",
		r.Bytes, r.Op, r.Backend, r.NS, r.Mbps, r.Baseline, r.BaseNS, r.Ratio, r.Spread, r.Delta, overhead, posted)
	return err
}

// Close prints what is held back.
func (p *pnePrinter) Close() error {
	if p.text == nil {
		return nil
	}
	if p.head != "" {
		fmt.Fprintln(p.text)
	}
	return p.text.Flush()
}
