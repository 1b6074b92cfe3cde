package dataplane

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/record"
)

// TestReplaysAfterARestart records packets and sends them to the gateway that takes over:
// from one that ended, or from one that ended without a word after its last look. Where the
// store has memory that outlives the process, that look is of no account.
func TestReplaysAfterARestart(t *testing.T) {
	const packets = 100 // more than the window remembers
	look := func(p *ESP) error { p.store.look(); return nil }
	for name, c := range map[string]struct {
		memory bool
		end    func(p *ESP) error
		fresh  uint32 // first number that is accepted afterwards
		next   uint64 // and that is sent
	}{
		"in order":              {false, (*ESP).Close, packets + 1, packets + 1},
		"without a word":        {false, look, packets + 2*packets + 1, chunk + 1},
		"in order, memory":      {true, (*ESP).Close, packets + 1, packets + 1},
		"looked, memory":        {true, look, packets + 1, packets + 1},
		"never looked, memory":  {true, func(*ESP) error { return nil }, packets + 1, packets + 1},
		"promised more, memory": {true, func(p *ESP) error { p.store.promise(p.all[0]); return nil }, packets + 1, packets + 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "numbers")
			first, store := launch(t, path, c.memory)
			recorded := sealedFrom(t, 1, packets)
			if n := arrive(first, recorded); n != packets {
				t.Fatalf("%d of %d packets came through", n, packets)
			}
			if n := leave(first, packets); n != packets {
				t.Fatalf("%d of %d packets left", n, packets)
			}
			if err := c.end(first); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil { // as the system does for a process that was killed
				t.Fatal(err)
			}
			second, _ := launch(t, path, c.memory)
			defer second.Close()
			if n, drops := arrive(second, recorded), second.Drops(); n != 0 || drops[record.DropReplayed]+drops[record.DropTooOld] != packets {
				t.Errorf("%d replays came through; drops %v", n, drops.ByName())
			}
			if n := arrive(second, sealedFrom(t, c.fresh, 1)); n != 1 {
				t.Errorf("number %d is refused: %v", c.fresh, second.Drops())
			}
			if next := second.all[0].first; next != c.next {
				t.Errorf("numbers are sent from %d on, want %d", next, c.next)
			}
		})
	}
}

// launch makes the SAs of a gateway whose numbers are in that file.
func launch(t *testing.T, path string, memory bool) (*ESP, *seqstore.Store) {
	t.Helper()
	_, host := newHosts()
	file, store := parse(t, saFile), openStoreAt(t, path)
	if memory && !share(t, store, file) {
		t.Skip("no memory outlives a process on this system")
	}
	p, err := NewESP(ESPConfig{Engine: newEngine(t), File: file, Store: store, Host: host, MTU: 1500})
	if err != nil {
		t.Fatal(err)
	}
	return p, store
}

// share gives a store memory that outlives the process, and reports whether there is such.
func share(t *testing.T, store *seqstore.Store, file *safile.File) bool {
	t.Helper()
	err := store.Share(file.SPIs())
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Forget() })
	return err == nil
}

// leave returns how many of n packets are sealed.
func leave(p *ESP, n int) int {
	burst := make([]record.Datagram, n)
	for i := range burst {
		packet := ipv4("10.1.0.9", "10.2.3.4", 64, 60)
		buf := make([]byte, 256)
		burst[i] = record.Datagram{Buf: buf, Off: 100, Len: copy(buf[100:], packet)}
	}
	return p.out.ProtectUnder(burst, p.all[0].sa)
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
