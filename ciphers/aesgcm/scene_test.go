package aesgcm

import (
	"crypto/aes"
	"crypto/cipher"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// burst is a scene for kernels that take only some packets.
type burst struct{ tiertest.Scene }

func newKeyPair(t testing.TB, tier tiertest.Tier, tag int, r *rand.ChaCha8) *tiertest.KeyPair {
	t.Helper()
	spec := ciphers.KeySpec{Key: tiertest.Random(r, tier.Alg.KeySize()), IV: tiertest.Random(r, 12), TagSize: tag}
	return tiertest.NewKeyPair(t, tier, spec, standardGCM)
}

func standardGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func newKeyPairs(t testing.TB, tier tiertest.Tier, n, tag int, r *rand.ChaCha8) (keys []*tiertest.KeyPair) {
	for range n {
		keys = append(keys, newKeyPair(t, tier, tag, r))
	}
	return keys
}
