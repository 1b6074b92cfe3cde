package x25519

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestConcurrentBatches runs batches on several goroutines at once, as an engine
// does, and expects in each what a lone run gives.
func TestConcurrentBatches(t *testing.T) {
	for name, impl := range implementations() {
		t.Run(name, func(t *testing.T) {
			in := batch(ciphers.OpDerive, 20)
			impl.Exchange(ciphers.OpDerive, in)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { repeat(t, impl, in) })
			}
			wg.Wait()
		})
	}
}

func repeat(t *testing.T, impl ciphers.Exchanger, want ciphers.ExchangeBatch) {
	own := slices.Clone(want.Entries)
	for i := range own {
		own[i].Secret, own[i].Prepared = make([]byte, 32), nil
	}
	for range 5 {
		impl.Exchange(ciphers.OpDerive, ciphers.ExchangeBatch{Entries: own, Index: want.Index})
		for i := range own {
			if !bytes.Equal(own[i].Secret, want.Entries[i].Secret) {
				t.Errorf("entry %d differs", i)
			}
		}
	}
}
