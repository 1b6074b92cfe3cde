package contest

import (
	"fmt"
	"io"
	"os"
)

// Progress is a line on a terminal that says how far a table is. The zero value
// shows nothing.
type Progress struct{ w io.Writer }

// ProgressOn shows it on w, if that is a terminal.
func ProgressOn(w io.Writer) Progress {
	f, ok := w.(*os.File)
	if !ok {
		return Progress{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return Progress{}
	}
	return Progress{w}
}

// eraseLine is the terminal's command (ECMA-48 section 8.3.41).
const eraseLine = "\r\x1b[K"

// Show says that so many cells are done. A terminal that is gone is no fault of
// the table.
func (p Progress) Show(done, cells int) {
	if p.w != nil {
		_, _ = fmt.Fprintf(p.w, "%scell %d of %d", eraseLine, done+1, cells)
	}
}

// Clear takes the line away, so that rows may be printed where it was.
func (p Progress) Clear() {
	if p.w != nil {
		_, _ = io.WriteString(p.w, eraseLine)
	}
}
