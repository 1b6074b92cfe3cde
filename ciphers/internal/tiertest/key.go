package tiertest

import (
	"crypto/cipher"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// KeyPair is a key in both directions, and another library's AEAD under the same key.
type KeyPair struct {
	Seal, Open *ciphers.Key
	Oracle     cipher.AEAD
	Tag        int // bytes
}

// NewKeyPair makes the keys of a tier; spec has the key and the IV, and lacks the rest.
func NewKeyPair(t testing.TB, tier Tier, spec ciphers.KeySpec, oracle func(key []byte) (cipher.AEAD, error)) *KeyPair {
	t.Helper()
	spec.Algorithm, spec.Nonce = tier.Alg, ciphers.NonceXOR
	k, plan := &KeyPair{Tag: spec.TagSize}, &ciphers.Plan{Bulk: tier.Impl}
	var err error
	if k.Oracle, err = oracle(spec.Key); err != nil {
		t.Fatal(err)
	}
	spec.Direction = ciphers.Sealing
	if k.Seal, err = ciphers.NewKey(&spec, plan, nil); err != nil {
		t.Fatal(err)
	}
	spec.Direction = ciphers.Opening
	if k.Open, err = ciphers.NewKey(&spec, plan, nil); err != nil {
		t.Fatal(err)
	}
	return k
}

// Source is randomness that a name repeats.
func Source(name string) *rand.ChaCha8 {
	var seed [32]byte
	copy(seed[:], name)
	return rand.NewChaCha8(seed)
}

// Random is so many bytes of r.
func Random(r *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	_, _ = r.Read(b) // it cannot fail
	return b
}
