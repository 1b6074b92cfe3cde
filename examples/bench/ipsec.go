package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/lan"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/pin"
)

// ipsecTable is bench ipsec. This process is the peer; a second one, the target, has the
// other core.
type ipsecTable struct {
	JSON   bool   `name:"json" help:"Print one JSON object a line."`
	Quick  bool   `help:"Less to move, under a minute."`
	Plot   string `placeholder:"FILE.svg" help:"Draw the table into a file too."`
	Alg    string `placeholder:"NAME" help:"Only rows with this ESP cipher, as the table names it, beside no IPsec."`
	Rounds int    `help:"Times that each test is done, of which the median counts; 0 means 3, and 1 with -quick."`

	command []string // runs this program again; tests have another
}

// Run measures row after row and prints the tests one after the other, as
// @CHIP-RTOS's table has them.
func (t *ipsecTable) Run(s streams) error {
	if err := (&options{Plot: t.Plot}).checkPlot(); err != nil {
		return err
	}
	rows, err := t.rows()
	if err != nil {
		return err
	}
	if t.command == nil {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		t.command = []string{path, "ipsec-target"}
	}
	cores := twoCores(s)
	e, undo, err := onCore(cores[lan.Peer])
	if err != nil {
		return err
	}
	defer undo()
	figures, err := t.measure(s, e, rows, cores)
	if err != nil {
		return err
	}
	if err := printIPsec(s.out, t.JSON, figures); err != nil || t.Plot == "" {
		return err
	}
	return picture.SaveBars(t.Plot, ipsecBars(figures))
}

func (t *ipsecTable) rows() ([]protection, error) {
	all := protections()
	if t.Alg == "" {
		return all, nil
	}
	some := slices.DeleteFunc(all, func(p protection) bool { return p.Cipher != noIPsec && !strings.EqualFold(p.Cipher, t.Alg) })
	if len(some) == 1 {
		return nil, fmt.Errorf("--alg: no row has the ESP cipher %s", t.Alg)
	}
	return some, nil
}

// twoCores are the target's and the peer's.
func twoCores(s streams) [2]int {
	all := pin.Cores()
	if len(all) == 0 {
		return [2]int{}
	}
	if len(all) == 1 {
		fmt.Fprintln(s.err, "bench: one core for both ends: rates are about half of what a core each gives")
	}
	return [2]int{all[0], all[len(all)-1]}
}

// onCore keeps the process on one core until undo is called, and makes an engine for
// every algorithm of the table, which undo closes.
func onCore(core int) (e *engine.Engine, undo func(), err error) {
	processors := runtime.GOMAXPROCS(1)
	free, err := pin.Process(core)
	if err != nil {
		runtime.GOMAXPROCS(processors)
		return nil, nil, err
	}
	back := func() {
		free()
		runtime.GOMAXPROCS(processors)
	}
	if e, err = engine.New(engine.Config{AllowLegacy: true}); err != nil {
		back()
		return nil, nil, err
	}
	return e, func() { e.Close(); back() }, nil
}

func (t *ipsecTable) effort() (lan.Effort, int) {
	if t.Quick {
		return lan.Effort{Bytes: 2_000_000, Time: 100 * time.Millisecond}, cmp.Or(t.Rounds, 1)
	}
	return lan.Effort{Bytes: 10_000_000, Time: time.Second}, cmp.Or(t.Rounds, 3)
}

// measure does every test under every row, each time beside the same test without IPsec,
// and orders the figures by test.
func (t *ipsecTable) measure(s streams, e *engine.Engine, rows []protection, cores [2]int) (figures []ipsecRow, err error) {
	progress := contest.ProgressOn(s.err)
	defer progress.Clear()
	clear, err := t.join(e, &rows[0], cores, s.err)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, clear.close()) }()
	for i := range rows {
		progress.Show(i, len(rows))
		all, err := t.row(e, &rows[i], cores, clear, s.err)
		if err != nil {
			return nil, fmt.Errorf("AH %s, ESP %s with %s: %w", rows[i].AH, rows[i].Cipher, rows[i].Auth, err)
		}
		figures = append(figures, all...)
	}
	order := lan.Trials()
	slices.SortStableFunc(figures, func(a, b ipsecRow) int {
		return cmp.Compare(slices.Index(order, a.Test), slices.Index(order, b.Test))
	})
	return figures, nil
}

// row starts a target and does the tests with it and without IPsec in turn.
func (t *ipsecTable) row(e *engine.Engine, p *protection, cores [2]int, clear *joined, stderr io.Writer) (rows []ipsecRow, err error) {
	j := clear
	if p.Cipher != noIPsec {
		if j, err = t.join(e, p, cores, stderr); err != nil {
			return nil, err
		}
		defer func() { err = cmp.Or(err, j.close()) }()
	}
	for _, trial := range lan.Trials() {
		rate, fraction, err := t.compare(trial, j, clear)
		if err != nil {
			return nil, err
		}
		rows = append(rows, newRow(trial, p, rate, fraction))
	}
	return rows, nil
}

// compare does a test some times, each time without IPsec first, and returns the median
// rate and the median of the rounds' fractions.
func (t *ipsecTable) compare(trial lan.Trial, j, clear *joined) (rate, fraction float64, err error) {
	effort, rounds := t.effort()
	var rates, fractions []float64
	for range rounds {
		whole, err := clear.peer.Run(trial, effort)
		if err != nil {
			return 0, 0, err
		}
		part := whole
		if j != clear {
			if part, err = j.peer.Run(trial, effort); err != nil {
				return 0, 0, err
			}
		}
		rates, fractions = append(rates, part), append(fractions, part/whole)
	}
	return median(rates), median(fractions), nil
}

// joined is a target in a process of its own and the peer here, with a cable between.
type joined struct {
	peer   *lan.Host
	target *target
}

func (t *ipsecTable) join(e *engine.Engine, p *protection, cores [2]int, stderr io.Writer) (j *joined, err error) {
	setup, err := lan.NewSetup(p.esp, p.ah)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // once both ends are open nobody needs it
	cable := filepath.Join(folder, "cable")
	l, err := net.Listen("unix", cable)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }()
	j = &joined{}
	if j.target, err = startTarget(t.command, &targetOrder{Setup: setup, Cable: cable, Core: cores[lan.Target]}, stderr); err != nil {
		return nil, err
	}
	conn, err := j.target.accept(l)
	if err == nil {
		j.peer, err = lan.NewHost(e, &setup, lan.Peer, conn)
	}
	if err != nil {
		return nil, cmp.Or(err, j.target.stop())
	}
	return j, nil
}

// close ends both and says what went wrong at either end.
func (j *joined) close() error {
	drops := j.peer.Drops()
	err := cmp.Or(j.peer.Close(), j.target.stop())
	if err == nil && drops.Dropped() != 0 {
		err = fmt.Errorf("packets were dropped: %v", drops)
	}
	return err
}

// printIPsec prints figures, which are in the order of their tests.
func printIPsec(w io.Writer, asJSON bool, figures []ipsecRow) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		for i := range figures {
			if err := encoder.Encode(&figures[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for len(figures) > 0 {
		n := slices.IndexFunc(figures, func(r ipsecRow) bool { return r.Test != figures[0].Test })
		if n < 0 {
			n = len(figures)
		}
		if err := printTest(w, figures[:n]); err != nil {
			return err
		}
		figures = figures[n:]
	}
	return nil
}
