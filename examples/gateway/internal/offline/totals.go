// Package offline tunnels captures: Protect makes of a capture of plain packets one
// of the DTLS datagrams that two gateways would exchange for them, and Unprotect
// makes the plain packets of that again, given the session's secrets. ProtectESP and
// UnprotectESP do so with ESP.
package offline

import (
	"fmt"
	"io"

	"github.com/sealburst/sealburst/record"
)

// Totals say what became of a capture's frames.
type Totals struct {
	Frames  uint64            `json:"frames"`          // read
	Packets uint64            `json:"packets"`         // protected, or opened
	Bytes   uint64            `json:"bytes"`           // of these, in the plain
	Session uint64            `json:"session"`         // frames that set sessions up and end them, in a capture to open
	Other   uint64            `json:"other"`           // frames that are no business of the tunnel's
	Drops   map[string]uint64 `json:"drops,omitempty"` // packets lost, by cause
	Suite   string            `json:"suite,omitempty"`
	Link    string            `json:"link"` // the captures' link type

	dropped record.Tally
}

func (t *Totals) drop(cause record.Drop) {
	t.dropped[cause]++
	t.Drops = t.dropped.ByName()
}

// Print writes the totals for people. Done says what was done: protected, or opened.
func (t *Totals) Print(to io.Writer, done string) {
	fmt.Fprintf(to, "%d frames read, %d packets of %d bytes %s", t.Frames, t.Packets, t.Bytes, done)
	if t.Suite != "" {
		fmt.Fprintf(to, " under %s", t.Suite)
	}
	fmt.Fprintln(to)
	if t.Session > 0 {
		fmt.Fprintf(to, "%d frames that set up and keep up the tunnel, with no packets in them\n", t.Session)
	}
	if t.Other > 0 {
		fmt.Fprintf(to, "%d frames left out: not for the tunnel\n", t.Other)
	}
	for cause := record.DropNone + 1; int(cause) < record.NumDrops; cause++ {
		if n := t.dropped[cause]; n > 0 {
			fmt.Fprintf(to, "%d packets dropped: %v\n", n, cause)
		}
	}
}
