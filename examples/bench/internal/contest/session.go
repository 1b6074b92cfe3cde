// Package contest runs the cells of a bench table one after the other, within a
// time that is given for the whole table, and prints their rows. A new table
// builds a Contest for each of its cells and hands them to a Session.
package contest

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/pin"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// Session is one table's run.
type Session struct {
	Rounds   int           // a cell, at most
	Time     time.Duration // for the whole table
	Printer  table.Printer
	Progress Progress
	Now      func() time.Time // what turns are timed by; nil means pin.Clock

	rows  []table.Row
	core  int
	until time.Time
	left  int // cells to come
}

// Run pins the thread, plays every cell in turn and closes the printer. A cell
// builds its Contest when its turn comes.
func (s *Session) Run(cells []func() (*Contest, error)) error {
	if s.Now == nil {
		s.Now = pin.Clock
	}
	var err error
	if s.core, err = pin.Thread(); err != nil {
		return err
	}
	s.until, s.left = time.Now().Add(s.Time), len(cells)
	defer s.Progress.Clear()
	for i, cell := range cells {
		s.Progress.Show(i, len(cells))
		if err := s.play(cell); err != nil {
			return err
		}
		s.left--
	}
	return s.Printer.Close()
}

// Rows are the rows that were printed.
func (s *Session) Rows() []table.Row { return s.rows }

func (s *Session) play(cell func() (*Contest, error)) error {
	c, err := build(cell)
	if err != nil {
		return err
	}
	defer c.close()
	m := s.match(len(c.contestants))
	scores, err := m.Play(c.contestants)
	if err != nil {
		return err
	}
	if err := c.recheck(); err != nil {
		return err
	}
	return s.print(c, scores)
}

func (s *Session) print(c *Contest, scores pair.Scores) error {
	s.Progress.Clear()
	for _, p := range c.pairs {
		row := c.rowOf(scores, p)
		row.Rounds, row.Core, row.CPU = scores.Rounds(), s.core, cpuid.CPU.BrandName
		s.rows = append(s.rows, row)
		if err := s.Printer.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// build builds a cell without collecting garbage meanwhile, since nearly all of
// it stays, and then collects what earlier cells left, so that nobody's turn does.
func build(cell func() (*Contest, error)) (*Contest, error) {
	percent := debug.SetGCPercent(-1)
	c, err := cell()
	debug.SetGCPercent(percent)
	runtime.GC()
	return c, err
}

// match gives each contestant a turn so that the table takes its time. Finding
// the number of units costs about as much as two rounds. A cell that takes half as
// long again as its share leaves out rounds.
func (s *Session) match(contestants int) pair.Match {
	const shortest = 50 * time.Microsecond
	share := max(0, time.Until(s.until)/time.Duration(s.left))
	return pair.Match{
		Rounds: s.Rounds, Now: s.Now, Limit: max(shortest, 3*share/2),
		Turn: max(shortest, share/time.Duration(contestants*(s.Rounds+2))),
	}
}
