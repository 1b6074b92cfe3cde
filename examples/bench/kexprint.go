package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// kexRow is a row of key exchanges.
type kexRow struct {
	table.Row
	Rate float64 `json:"ops_per_s"`
}

func exchangeRow(r table.Row) kexRow { return kexRow{r, 1e9 / r.NS} }

func newKexPrinter(w io.Writer, asJSON bool) table.Printer {
	if asJSON {
		return kexLines{json.NewEncoder(w)}
	}
	return &kexText{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

// kexLines prints one object a line.
type kexLines struct{ enc *json.Encoder }

func (l kexLines) Row(r table.Row) error { return l.enc.Encode(exchangeRow(r)) }
func (l kexLines) Close() error          { return nil }

// kexText prints a block for each operation of a group.
type kexText struct {
	w     *tabwriter.Writer
	head  string
	batch int // of the row before
}

const kexColumns = "batch\tbackend\tµs\tops/s\tbaseline\tµs\tratio\t±%\t"

func (t *kexText) Row(r table.Row) error {
	if head := r.Op + " " + r.Alg; head != t.head {
		if err := t.block(head); err != nil {
			return err
		}
	}
	batch := ""
	if r.Burst != t.batch {
		t.batch, batch = r.Burst, strconv.Itoa(r.Burst)
	}
	_, err := fmt.Fprintf(t.w, "%s\t%s\t%.2f\t%.0f\t%s\t%.2f\t%.2f\t%.0f\t\n",
		batch, r.Backend, r.NS/1000, exchangeRow(r).Rate, r.Baseline, r.BaseNS/1000, r.Ratio, r.Spread)
	return err
}

// block ends a block, so that it is seen while the next is measured.
func (t *kexText) block(head string) error {
	if t.head != "" {
		fmt.Fprintln(t.w)
	}
	t.head, t.batch = head, 0
	if err := t.w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.w, "%s\n%s\n", head, kexColumns)
	return err
}

func (t *kexText) Close() error { return t.w.Flush() }
