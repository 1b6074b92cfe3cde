package dataplane

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
)

// TestLastNumbersAreUsedOnce uses an SA up, and takes it over in order and without a word.
func TestLastNumbersAreUsedOnce(t *testing.T) {
	for name, end := range map[string]func(p *ESP) error{
		"in order": (*ESP).Close, "without a word": func(*ESP) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "numbers")
			first, store, err := openLast(t, path)
			if err != nil {
				t.Fatal(err)
			}
			if n := leave(first, 5); n != 3 {
				t.Errorf("%d packets left, want 3", n)
			}
			if err := errors.Join(end(first), store.Close()); err != nil {
				t.Fatal(err)
			}
			if _, _, err := openLast(t, path); !errors.Is(err, ErrUsedUp) {
				t.Errorf("the next gateway ends with %v, want ErrUsedUp", err)
			}
		})
	}
}

// openLast makes the SAs of a gateway, which has three numbers left to send.
func openLast(t *testing.T, path string) (*ESP, *seqstore.Store, error) {
	t.Helper()
	_, host := newHosts()
	file, store := parse(t, saFile), openStoreAt(t, path)
	for i := range file.SAs {
		if s := &file.SAs[i]; s.Out {
			s.ESN, s.First = true, math.MaxUint64-2
		}
	}
	share(t, store, file)
	p, err := NewESP(ESPConfig{Engine: newEngine(t), File: file, Store: store, Host: host, MTU: 1500})
	return p, store, err
}
