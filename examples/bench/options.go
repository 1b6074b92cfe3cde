package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// options are the flags that every table has.
type options struct {
	JSON   bool          `name:"json" help:"Print one JSON object a line."`
	Quick  bool          `help:"Fewer cells and rounds, under 15 seconds."`
	Plot   string        `placeholder:"FILE.svg" help:"Draw the table into a file too."`
	Alg    string        `placeholder:"NAME" help:"Only this algorithm."`
	Time   time.Duration `help:"How long the table takes, about; 0 means 2m, and a few seconds with -quick."`
	Rounds int           `help:"Rounds a cell, fewer where they take too long; 0 means 15 with -quick and 41 without."`
}

// cells are the contests of a table, each built when its turn comes.
type cells []func() (*contest.Contest, error)

// play runs a table, prints its rows as they come and draws it.
func (o *options) play(s streams, p table.Printer, all cells, x picture.Axis) error {
	if err := o.checkPlot(); err != nil {
		return err
	}
	session := o.session(s, p)
	if err := session.Run(all); err != nil || o.Plot == "" {
		return err
	}
	return picture.Save(o.Plot, session.Rows(), x)
}

// checkPlot refuses, before anything is measured, a file that cannot be drawn into.
func (o *options) checkPlot() error {
	if o.Plot == "" {
		return nil
	}
	if !strings.EqualFold(filepath.Ext(o.Plot), ".svg") {
		return fmt.Errorf("--plot writes SVG, and %s does not end in .svg", o.Plot)
	}
	f, err := os.OpenFile(o.Plot, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// printer is for rows of packets.
func (o *options) printer(s streams) table.Printer {
	if o.JSON {
		return table.JSON(s.out)
	}
	return table.Text(s.out)
}

func (o *options) session(s streams, p table.Printer) *contest.Session {
	session := &contest.Session{Rounds: 41, Time: 2 * time.Minute, Printer: p, Progress: contest.ProgressOn(s.err)}
	if o.Quick {
		session.Rounds, session.Time = 15, 8*time.Second
	}
	if o.Rounds > 0 {
		session.Rounds = o.Rounds
	}
	if o.Time > 0 {
		session.Time = o.Time
	}
	return session
}
