package chachapoly

import (
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
	"golang.org/x/crypto/chacha20poly1305"
)

const fullTag = 16

func newKeyPair(t testing.TB, tier tiertest.Tier, r *rand.ChaCha8) *tiertest.KeyPair {
	t.Helper()
	spec := ciphers.KeySpec{Key: tiertest.Random(r, chacha20poly1305.KeySize), IV: tiertest.Random(r, 12), TagSize: fullTag}
	return tiertest.NewKeyPair(t, tier, spec, chacha20poly1305.New)
}

func newKeyPairs(t testing.TB, tier tiertest.Tier, n int, r *rand.ChaCha8) (keys []*tiertest.KeyPair) {
	for range n {
		keys = append(keys, newKeyPair(t, tier, r))
	}
	return keys
}
