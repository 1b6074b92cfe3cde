package engine

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestStaleAADOffMeansNothing reuses a descriptor whose associated data were in
// Buf and are in Prefix now: with AADLen zero, AADOff may be anything. Every
// backend must do as the portable one does.
func TestStaleAADOffMeansNothing(t *testing.T) {
	seal := func(e *Engine, alg Algorithm, stale uint16) []byte {
		k, err := e.NewKey(KeySpec{Algorithm: alg, Direction: ciphers.Sealing, Key: make([]byte, alg.KeySize()), Nonce: ciphers.NonceXOR, IV: make([]byte, 12)})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		p := []Packet{{Key: k, Buf: make([]byte, 100), Len: 50, Prefix: make([]byte, 64), AADOff: stale}}
		if e.Seal(p) != 1 {
			t.Fatalf("%v: %v", alg, p[0].Status)
		}
		return p[0].Buf
	}
	best, std := mustNew(t, Config{IgnoreEnvironment: true}), portable(t)
	for _, alg := range []Algorithm{ciphers.AES128GCM, ciphers.AES256GCM, ciphers.AES128CCM, ciphers.ChaCha20Poly1305} {
		want := seal(std, alg, 0)
		for _, stale := range []uint16{60, 200, 65535} {
			if !bytes.Equal(seal(best, alg, stale), want) {
				t.Errorf("%v: AADOff %d changes what is sealed", alg, stale)
			}
		}
	}
}
