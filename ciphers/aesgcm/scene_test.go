package aesgcm

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// keyPair is a key in both directions, and crypto/cipher under the same key.
type keyPair struct {
	seal, open *ciphers.Key
	oracle     cipher.AEAD
	tag        int
}

func newKeyPair(t testing.TB, tier tier, tag int, r *rand.ChaCha8) *keyPair {
	t.Helper()
	spec := ciphers.KeySpec{
		Algorithm: tier.alg, Key: random(r, tier.alg.KeySize()),
		Nonce: ciphers.NonceXOR, IV: random(r, 12), TagSize: tag,
	}
	block, err := aes.NewCipher(spec.Key)
	if err != nil {
		t.Fatal(err)
	}
	k := &keyPair{tag: tag}
	if k.oracle, err = cipher.NewGCM(block); err != nil {
		t.Fatal(err)
	}
	plan := &ciphers.Plan{Bulk: tier.impl}
	spec.Direction = ciphers.Sealing
	if k.seal, err = ciphers.NewKey(&spec, plan, nil); err != nil {
		t.Fatal(err)
	}
	spec.Direction = ciphers.Opening
	if k.open, err = ciphers.NewKey(&spec, plan, nil); err != nil {
		t.Fatal(err)
	}
	return k
}

func newKeyPairs(t testing.TB, tier tier, n, tag int, r *rand.ChaCha8) (keys []*keyPair) {
	for range n {
		keys = append(keys, newKeyPair(t, tier, tag, r))
	}
	return keys
}

func source(name string) *rand.ChaCha8 {
	var seed [32]byte
	copy(seed[:], name)
	return rand.NewChaCha8(seed)
}

func random(r *rand.ChaCha8, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

// burst is a number of packets and what becomes of them.
type burst struct {
	packets []ciphers.Packet
	keys    []*keyPair
	plain   [][]byte
}

// add appends a packet in place with its associated data outside the buffer.
func (b *burst) add(k *keyPair, plain, aad []byte, r *rand.ChaCha8) *ciphers.Packet {
	b.packets = append(b.packets, ciphers.Packet{
		Buf: append(slices.Clone(plain), make([]byte, k.tag)...), Key: k.seal,
		Prefix: aad, Number: r.Uint64(), Len: uint32(len(plain)),
	})
	b.keys = append(b.keys, k)
	b.plain = append(b.plain, plain)
	return &b.packets[len(b.packets)-1]
}

// run seals the burst, compares it with crypto/cipher, and opens it.
func (b *burst) run(t testing.TB, impl ciphers.AEAD) {
	t.Helper()
	ps, index := b.packets, ciphers.Identity(len(b.packets))
	ciphers.SealBorder(ps)
	if n := impl.Seal(ciphers.Burst{Packets: ps, Index: index}); n != len(ps) {
		t.Fatalf("sealed %d of %d", n, len(ps))
	}
	for i := range ps {
		p, k := &ps[i], b.keys[i]
		full := k.oracle.Seal(nil, p.Nonce()[:], b.plain[i], p.AAD(nil))
		if want := full[:len(b.plain[i])+k.tag]; !bytes.Equal(p.Sealed(k.tag), want) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes, %d of associated data: status %v\n got %x\nwant %x",
				i, len(ps), p.Len, len(p.AAD(nil)), p.Status, p.Sealed(k.tag), want)
		}
		p.Key, p.Len = k.open, p.Len+uint32(k.tag)
	}
	ciphers.OpenBorder(ps)
	if n := impl.Open(ciphers.Burst{Packets: ps, Index: index}); n != len(ps) {
		t.Fatalf("opened %d of %d", n, len(ps))
	}
	for i := range ps {
		if p := &ps[i]; !bytes.Equal(p.Opened(b.keys[i].tag), b.plain[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes: status %v, not the plaintext", i, len(ps), len(b.plain[i]), p.Status)
		}
	}
}
