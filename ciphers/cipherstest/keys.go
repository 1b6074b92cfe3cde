package cipherstest

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// form is one shape of AEAD key: how its nonces are made and how long its tag is.
type form struct {
	nonce ciphers.NonceForm
	iv    int
	tag   int
}

func (f form) String() string {
	name := map[ciphers.NonceForm]string{ciphers.NonceXOR: "xor", ciphers.NonceExplicit: "explicit"}[f.nonce]
	return fmt.Sprintf("%s-iv%d-tag%d", name, f.iv, f.tag)
}

func (f form) nonceSize() int {
	if f.nonce == ciphers.NonceExplicit {
		return f.iv + ciphers.ExplicitSize
	}
	return f.iv
}

// forms lists every shape of key that alg allows, the full tag first.
func forms(alg ciphers.Algorithm) (all []form) {
	for _, tag := range alg.TagSizes() {
		for _, f := range []form{
			{ciphers.NonceXOR, 12, tag}, {ciphers.NonceXOR, 13, tag},
			{ciphers.NonceExplicit, 3, tag}, {ciphers.NonceExplicit, 4, tag},
		} {
			if slices.Contains(alg.NonceSizes(), f.nonceSize()) {
				all = append(all, f)
			}
		}
	}
	return all
}

// keys is one secret as the implementation has it, in both directions, and as
// the oracle has it.
type keys struct {
	form
	seal, open *ciphers.Key
	iv         []byte
	oracle     cipher.AEAD
}

// newKeys makes keys of that form from a source of bytes.
func (s subject) newKeys(t testing.TB, f form, src *rand.ChaCha8) *keys {
	return s.keysFrom(t, f, random(src, s.alg.KeySize()), random(src, f.iv))
}

func (s subject) keysFrom(t testing.TB, f form, key, iv []byte) *keys {
	return keysWith(t, s.alg, f, &ciphers.Plan{Bulk: s.impl}, key, iv)
}

func keysWith(t testing.TB, alg ciphers.Algorithm, f form, plan *ciphers.Plan, key, iv []byte) *keys {
	t.Helper()
	oracle, err := newOracle(alg, key, f.nonceSize(), f.tag)
	if err != nil {
		t.Fatal(err)
	}
	spec := ciphers.KeySpec{Algorithm: alg, Key: key, Nonce: f.nonce, IV: iv, TagSize: f.tag}
	return &keys{
		form: f, iv: slices.Clone(iv), oracle: oracle,
		seal: newKey(t, spec, ciphers.Sealing, plan),
		open: newKey(t, spec, ciphers.Opening, plan),
	}
}

// newKey makes a key from copies of the spec's bytes and spoils the copies: an
// implementation that kept a reference to them fails from then on.
func newKey(t testing.TB, spec ciphers.KeySpec, d ciphers.Direction, plan *ciphers.Plan) *ciphers.Key {
	t.Helper()
	spec.Direction, spec.Key, spec.IV = d, slices.Clone(spec.Key), slices.Clone(spec.IV)
	k, err := ciphers.NewKey(&spec, plan, nil)
	if err != nil {
		t.Fatalf("NewKey: %v", err)
	}
	clear(spec.Key)
	clear(spec.IV)
	return k
}

// nonce is what RFC 8446 section 5.3 or the explicit forms make of a number,
// written without looking at package ciphers.
func (k *keys) nonce(high uint32, number uint64) []byte {
	var tail [12]byte
	binary.BigEndian.PutUint32(tail[:], high)
	binary.BigEndian.PutUint64(tail[4:], number)
	if k.form.nonce == ciphers.NonceExplicit {
		return append(slices.Clone(k.iv), tail[4:]...)
	}
	nonce := slices.Clone(k.iv)
	for i, b := range tail {
		nonce[len(nonce)-12+i] ^= b
	}
	return nonce
}

// source is a reproducible source of bytes for the test that names it.
func source(name string) *rand.ChaCha8 {
	var seed [32]byte
	copy(seed[:], name)
	return rand.NewChaCha8(seed)
}

func random(src *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	_, _ = src.Read(b) // never fails
	return b
}
