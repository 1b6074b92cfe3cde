package espvpn

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/record"
)

// TestReplaysAfterARestart records packets, ends the gateway that got them, in order or
// without a word, and sends them to the one that takes over. The peer goes on meanwhile.
func TestReplaysAfterARestart(t *testing.T) {
	const packets = 100 // more than the window remembers
	for name, inOrder := range map[string]bool{"in order": true, "without a word": false} {
		t.Run(name, func(t *testing.T) {
			e, sas := newEngine(t), files(t, outside...)
			path := filepath.Join(t.TempDir(), "numbers")
			store, err := seqstore.Open(path)
			must(t, err)
			wire, link := memory.Pair(256, 1600)
			peer := launch(t, e, &sas[1], OnPort(wire), Options{})
			first, tap := memory.Pair(256, 1600)
			g := launch(t, e, &sas[0], OnPort(first), Options{Store: store})
			var recorded [][]byte
			pass := func(number byte) {
				p := pack(2, 1, number, 100)
				peer.put(p)
				recorded = append(recorded, forward(t, link, tap))
				g.expect(p)
			}
			for i := range byte(packets) {
				pass(i)
			}
			if inOrder {
				g.end()
			} else {
				defer g.end()
			}
			must(t, store.Close()) // as the system does for a process that was killed
			store, err = seqstore.Open(path)
			must(t, err)
			defer store.Close()
			first, tap = memory.Pair(256, 1600)
			g = launch(t, e, &sas[0], OnPort(first), Options{Store: store})
			defer g.end()
			for _, p := range recorded {
				sendTo(t, tap, p)
			}
			eventually(t, "all are replays", func() bool {
				d := g.Drops()
				return d[record.DropReplayed]+d[record.DropTooOld] == packets && d.Dropped() == packets
			})
			pass(200)
		})
	}
}

// forward carries one packet over and returns it.
func forward(t *testing.T, from, to *memory.Port) []byte {
	t.Helper()
	burst := port.NewBurst(1, 1600)
	_, err := from.Receive(burst)
	must(t, err)
	packet := slices.Clone(burst[0].Content())
	sendTo(t, to, packet)
	return packet
}

func sendTo(t *testing.T, to *memory.Port, packet []byte) {
	t.Helper()
	burst := port.NewBurst(1, 1600)
	port.Put(&burst[0], packet)
	_, err := to.Send(burst)
	must(t, err)
}
