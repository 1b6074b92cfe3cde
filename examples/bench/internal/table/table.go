package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// Printer writes rows as they come.
type Printer interface {
	Row(r Row) error
	// Close writes what is still held back.
	Close() error
}

// JSON prints one object a line.
func JSON(w io.Writer) Printer { return &lines{json.NewEncoder(w)} }

type lines struct{ enc *json.Encoder }

func (l *lines) Row(r Row) error { return l.enc.Encode(r) }
func (l *lines) Close() error    { return nil }

// Text prints a table with a blank line between works.
func Text(w io.Writer) Printer {
	return &text{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
}

type text struct {
	w    *tabwriter.Writer
	last string // the work of the row before
	work string // the part of it that heads a block
}

const columns = "bytes\tburst\tkeys\tbackend\tns\tGbit/s\tbaseline\tns\tratio\t±%\tΔns\t"

func (t *text) Row(r Row) error {
	if head := r.Op + " " + r.Alg; head != t.work {
		if err := t.head(head); err != nil {
			return err
		}
	}
	work := fmt.Sprint(r.Bytes, r.Mix, r.Burst, r.Keys, r.Draw)
	bytes, burst, keys := "", "", ""
	if work != t.last {
		t.last = work
		bytes, burst = cmp.Or(r.Mix, strconv.Itoa(r.Bytes)), strconv.Itoa(r.Burst)
		keys = strconv.Itoa(r.Keys)
		if r.Draw != "" {
			keys += " " + r.Draw
		}
	}
	_, err := fmt.Fprintf(t.w, "%s\t%s\t%s\t%s\t%.1f\t%.1f\t%s\t%.1f\t%.2f\t%.0f\t%+.1f\t\n",
		bytes, burst, keys, r.Backend, r.NS, r.Gbps, r.Baseline, r.BaseNS, r.Ratio, r.Spread, r.Delta)
	return err
}

// head ends a block, so that it is seen while the next is measured.
func (t *text) head(head string) error {
	if t.work != "" {
		fmt.Fprintln(t.w)
	}
	t.work, t.last = head, ""
	if err := t.w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(t.w, "%s\n%s\n", head, columns)
	return err
}

func (t *text) Close() error { return t.w.Flush() }
