// Package progress shows how far a task is: a bar on a terminal, a line for each
// stage elsewhere.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Progress is told the stage, what is being done in it, and which part of all is over.
type Progress interface {
	Step(stage, doing string, part float64)
	// Done ends the display.
	Done()
}

// New makes the display that suits an output.
func New(to io.Writer) Progress {
	if terminal(to) {
		return &bar{to: to}
	}
	return &lines{to: to}
}

// Silent shows nothing.
type Silent struct{}

// Step does nothing.
func (Silent) Step(string, string, float64) {}

// Done does nothing.
func (Silent) Done() {}

func terminal(to io.Writer) bool {
	f, ok := to.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

const (
	width = 30                     // of the bar
	pause = 100 * time.Millisecond // between drawings of the same step
)

type bar struct {
	to    io.Writer
	what  string
	drawn time.Time
}

func (b *bar) Step(stage, doing string, part float64) {
	what := stage + ": " + doing
	if what == b.what && time.Since(b.drawn) < pause {
		return
	}
	b.what, b.drawn = what, time.Now()
	full := min(width, max(0, int(part*width)))
	fmt.Fprintf(b.to, "\r[%s%s] %3.0f%% %s\x1b[K", strings.Repeat("=", full), strings.Repeat(" ", width-full), part*100, what)
}

func (b *bar) Done() { fmt.Fprint(b.to, "\r\x1b[K") }

type lines struct {
	to    io.Writer
	stage string
}

func (l *lines) Step(stage, _ string, part float64) {
	if stage != l.stage {
		l.stage = stage
		fmt.Fprintf(l.to, "%3.0f%% %s\n", part*100, stage)
	}
}

func (l *lines) Done() {}
