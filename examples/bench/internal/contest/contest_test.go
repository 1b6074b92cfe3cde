package contest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// clock is moved by the contestants alone.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) costs(name string, ns int) pair.Contestant {
	return pair.Contestant{Name: name, Items: 1, Run: func(n int) error {
		c.now = c.now.Add(time.Duration(n * ns))
		return nil
	}}
}

// session prints JSON, and its clock is fake. It runs on a thread of its own,
// which a session pins.
func run(t *testing.T, c *clock, cells ...func() (*Contest, error)) (rows []table.Row, err error) {
	t.Helper()
	var out bytes.Buffer
	s := &Session{Rounds: 3, Time: time.Millisecond, Printer: table.JSON(&out), Now: c.Now}
	done := make(chan error)
	go func() { done <- s.Run(cells) }()
	err = <-done
	for dec := json.NewDecoder(&out); dec.More(); {
		var r table.Row
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != len(s.Rows()) {
		t.Errorf("%d rows printed, %d kept", len(rows), len(s.Rows()))
	}
	return rows, err
}

// cell has a baseline of 100 ns and a contestant of 25, on packets of 50 bytes.
func cell(c *clock, changes ...func(*Contest)) func() (*Contest, error) {
	return func() (*Contest, error) {
		x := &Contest{Row: table.Row{Table: "t", Op: "seal", Alg: "a", Bytes: 50, Burst: 32, Keys: 1}, Bytes: 50}
		base, own := x.Add(c.costs("std", 100)), x.Add(c.costs("fast", 25))
		x.Compare(own, base, "std")
		x.Compare(base, own, "fast")
		for _, change := range changes {
			change(x)
		}
		return x, nil
	}
}

func TestRowsSayWhatWasMeasured(t *testing.T) {
	c := &clock{}
	rows, err := run(t, c, cell(c), cell(c))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	want := table.Row{
		Table: "t", Op: "seal", Alg: "a", Backend: "fast", Bytes: 50, Burst: 32, Keys: 1, NS: 25, Gbps: 16,
		Baseline: "std", BaseNS: 100, Ratio: 4, Delta: -75, Rounds: 3, Core: rows[0].Core, CPU: rows[0].CPU,
	}
	if rows[0] != want {
		t.Errorf("got  %+v\nwant %+v", rows[0], want)
	}
	if r := rows[1]; r.Backend != "std" || r.Baseline != "fast" || r.Ratio != 0.25 || r.Delta != 75 {
		t.Errorf("the other way %+v", r)
	}
}

func TestCellsAreClosedAndCheckedAgain(t *testing.T) {
	c, wrong, closed := &clock{}, errors.New("wrong"), 0
	_, err := run(t, c,
		cell(c, func(x *Contest) { x.Finally(func() { closed++ }) }),
		cell(c, func(x *Contest) { x.Finally(func() { closed++ }); x.Recheck(func() error { return wrong }) }),
		cell(c, func(x *Contest) { x.Finally(func() { closed++ }) }))
	if !errors.Is(err, wrong) {
		t.Errorf("error %v, want that of the check", err)
	}
	if closed != 2 {
		t.Errorf("%d cells were closed, want the two that were built", closed)
	}
}

func TestCellThatCannotBeBuiltEndsTheTable(t *testing.T) {
	c, broken := &clock{}, errors.New("broken")
	rows, err := run(t, c, cell(c), func() (*Contest, error) { return nil, broken })
	if !errors.Is(err, broken) || len(rows) != 2 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

func TestTurnsShareTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{Rounds: 8, until: time.Now().Add(time.Second), left: 10}
		// 100 ms a cell, two contestants, eight rounds and two to find the units.
		if got := s.match(2).Turn; got != 5*time.Millisecond {
			t.Errorf("turn of %v, want 5ms", got)
		}
		if got := s.match(2).Limit; got != 150*time.Millisecond {
			t.Errorf("limit of %v, want half as much again as the share of 100ms", got)
		}
		s.until = time.Now().Add(-time.Hour)
		if got := s.match(2); got.Turn != 50*time.Microsecond || got.Limit != 50*time.Microsecond {
			t.Errorf("late: turn of %v, limit of %v, want the shortest", got.Turn, got.Limit)
		}
	})
}

func TestProgressIsForTerminals(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{&bytes.Buffer{}, file} {
		if p := ProgressOn(w); p.w != nil {
			t.Errorf("%T is taken for a terminal", w)
		}
	}
	var out bytes.Buffer
	p := Progress{&out}
	p.Show(0, 3)
	p.Clear()
	if got := out.String(); got != "\r\x1b[Kcell 1 of 3\r\x1b[K" {
		t.Errorf("%q", got)
	}
}
