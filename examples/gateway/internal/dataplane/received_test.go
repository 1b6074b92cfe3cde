package dataplane

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/record"
)

// TestReplaysAfterARestart records packets and sends them to the gateway that takes over:
// from one that ended, or from one that ended without a word after its last look.
func TestReplaysAfterARestart(t *testing.T) {
	const packets = 100 // more than the window remembers
	for name, c := range map[string]struct {
		end   func(p *ESP) error
		fresh uint32
	}{
		"in order":       {(*ESP).Close, packets + 1},
		"without a word": {func(p *ESP) error { p.store.look(); return nil }, packets + 2*packets + 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, host := newHosts()
			file, err := safile.Parse(strings.NewReader(saFile))
			if err != nil {
				t.Fatal(err)
			}
			config := ESPConfig{Engine: newEngine(t), File: file, Store: openStore(t), Host: host, MTU: 1500}
			first, err := NewESP(config)
			if err != nil {
				t.Fatal(err)
			}
			recorded := sealedFrom(t, 1, packets)
			if n := arrive(first, recorded); n != packets {
				t.Fatalf("%d of %d packets came through", n, packets)
			}
			if err := c.end(first); err != nil {
				t.Fatal(err)
			}
			second, err := NewESP(config)
			if err != nil {
				t.Fatal(err)
			}
			defer second.Close()
			if n, drops := arrive(second, recorded), second.Drops(); n != 0 || drops[record.DropReplayed]+drops[record.DropTooOld] != packets {
				t.Errorf("%d replays came through; drops %v", n, drops.ByName())
			}
			if n := arrive(second, sealedFrom(t, c.fresh, 1)); n != 1 {
				t.Errorf("number %d is refused: %v", c.fresh, second.Drops())
			}
		})
	}
}

// sealedFrom are packets of the peer, numbered from first.
func sealedFrom(t *testing.T, first uint32, n int) (all [][]byte) {
	for i := range n {
		all = append(all, seal(t, inKey, 0x1002, first+uint32(i), ipv4("10.2.3.4", "10.1.0.9", 64, 60)))
	}
	return all
}

// arrive returns how many of the packets come through.
func arrive(p *ESP, packets [][]byte) int {
	burst := make([]record.Datagram, len(packets))
	for i, packet := range packets {
		burst[i] = record.Datagram{Buf: bytes.Clone(packet), Len: len(packet)}
	}
	return p.in.Unprotect(burst, nil)
}
