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
	block int  // EncryptThenMAC only: of how many bytes payloads are a multiple; 0 when there are none
	esn   bool // EncryptThenMAC only
}

func (f form) String() string {
	name := map[ciphers.NonceForm]string{
		ciphers.NonceXOR: "xor", ciphers.NonceExplicit: "explicit", ciphers.NonceDrawn: "drawn", 0: "none",
	}[f.nonce]
	name = fmt.Sprintf("%s-iv%d-tag%d", name, f.iv, f.tag)
	if f.esn {
		name += "-esn"
	}
	return name
}

// wire is how many bytes of the nonce travel in the packet.
func (f form) wire() int {
	switch f.nonce {
	case ciphers.NonceExplicit:
		return ciphers.ExplicitSize
	case ciphers.NonceDrawn:
		return f.block
	}
	return 0
}

func (f form) nonceSize() int {
	if f.nonce == ciphers.NonceExplicit {
		return f.iv + ciphers.ExplicitSize
	}
	return f.iv
}

// high is as much of a packet's high part as the nonce has room for.
func (f form) high(all uint32) uint32 {
	if f.nonceSize() == 11 {
		return all & (1<<24 - 1)
	}
	return all
}

// forms lists every shape of key that alg allows, the full tag first.
func forms(alg ciphers.Algorithm) (all []form) {
	if alg.Integrity() != 0 {
		return pairForms(alg)
	}
	for _, tag := range alg.TagSizes() {
		for _, f := range []form{
			{nonce: ciphers.NonceXOR, iv: 11, tag: tag}, {nonce: ciphers.NonceXOR, iv: 12, tag: tag}, {nonce: ciphers.NonceXOR, iv: 13, tag: tag},
			{nonce: ciphers.NonceExplicit, iv: 3, tag: tag}, {nonce: ciphers.NonceExplicit, iv: 4, tag: tag},
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
	pair       *pairOracle // in oracle's place under an algorithm of EncryptThenMAC
}

// newKeys makes keys of that form from a source of bytes.
func (s subject) newKeys(t testing.TB, f form, src *rand.ChaCha8) *keys {
	return s.keysFrom(t, f, random(src, secretSize(s.alg)), random(src, f.iv))
}

func (s subject) keysFrom(t testing.TB, f form, key, iv []byte) *keys {
	return keysWith(t, s.alg, f, &ciphers.Plan{Bulk: s.impl}, key, iv)
}

func keysWith(t testing.TB, alg ciphers.Algorithm, f form, plan *ciphers.Plan, key, iv []byte) *keys {
	t.Helper()
	if alg.Integrity() != 0 {
		return pairKeysWith(t, alg, f, plan, key, iv)
	}
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
	spec.AuthKey = slices.Clone(spec.AuthKey)
	k, err := ciphers.NewKey(&spec, plan, nil)
	if err != nil {
		t.Fatalf("NewKey: %v", err)
	}
	t.Cleanup(k.Close)
	clear(spec.Key)
	clear(spec.IV)
	clear(spec.AuthKey)
	return k
}

// nonce is what RFC 8446 section 5.3 or the explicit forms make of a number,
// written without looking at package ciphers.
func (k *keys) nonce(high uint32, number uint64) []byte {
	nonce := slices.Clone(k.iv)
	if k.form.nonce == ciphers.NonceExplicit {
		return binary.BigEndian.AppendUint64(nonce, number)
	}
	combine(nonce, high, number)
	return nonce
}

// combine is the exclusive or of NonceXOR.
func combine(nonce []byte, high uint32, number uint64) {
	tail := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, high), number)
	for i := 1; i <= min(len(nonce), len(tail)); i++ {
		nonce[len(nonce)-i] ^= tail[len(tail)-i]
	}
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
