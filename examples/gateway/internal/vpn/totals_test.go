package vpn

import (
	"strings"
	"testing"
)

// TestShedHandshakesArePrinted when there were some.
func TestShedHandshakesArePrinted(t *testing.T) {
	for _, c := range []struct {
		totals Totals
		want   string
	}{
		{Totals{Uptime: 1}, ""},
		{Totals{Uptime: 1, Shed: 3}, "3 handshakes shed, for too many ran; 0 datagrams of handshakes lost on the way to them\n"},
		{Totals{Uptime: 1, Overrun: 7}, "0 handshakes shed, for too many ran; 7 datagrams of handshakes lost on the way to them\n"},
	} {
		var b strings.Builder
		c.totals.Print(&b)
		if text := b.String(); !strings.Contains(text, c.want) || strings.Contains(text, "shed") != (c.want != "") {
			t.Errorf("%+v: %s", c.totals, text)
		}
	}
}
