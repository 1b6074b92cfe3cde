package chachapoly

import (
	"bytes"
	"crypto/cipher"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20poly1305"
)

const fullTag = 16

// keyPair is a key in both directions, and golang.org/x/crypto under the same key.
type keyPair struct {
	seal, open *ciphers.Key
	oracle     cipher.AEAD
}

func newKeyPair(t testing.TB, impl ciphers.AEAD, r *rand.ChaCha8) *keyPair {
	t.Helper()
	return keyPairOf(t, impl, random(r, chacha20poly1305.KeySize), random(r, 12))
}

func keyPairOf(t testing.TB, impl ciphers.AEAD, key, iv []byte) *keyPair {
	t.Helper()
	spec := ciphers.KeySpec{Algorithm: ciphers.ChaCha20Poly1305, Key: key, Nonce: ciphers.NonceXOR, IV: iv}
	k, plan := new(keyPair), &ciphers.Plan{Bulk: impl}
	var err error
	if k.oracle, err = chacha20poly1305.New(key); err != nil {
		t.Fatal(err)
	}
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

func newKeyPairs(t testing.TB, impl ciphers.AEAD, n int, r *rand.ChaCha8) (keys []*keyPair) {
	for range n {
		keys = append(keys, newKeyPair(t, impl, r))
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
		Buf: append(slices.Clone(plain), make([]byte, fullTag)...), Key: k.seal,
		Prefix: aad, Number: r.Uint64(), Len: uint32(len(plain)),
	})
	b.keys = append(b.keys, k)
	b.plain = append(b.plain, plain)
	return &b.packets[len(b.packets)-1]
}

// inBuffer moves the last n bytes of a packet's associated data from outside to behind its
// tag.
func inBuffer(p *ciphers.Packet, n int) {
	at := len(p.Prefix) - n
	p.AADOff, p.AADLen = uint16(len(p.Buf)), uint16(n)
	p.Buf = append(p.Buf, p.Prefix[at:]...)
	p.Prefix = p.Prefix[:at]
}

// outOfPlace has a packet's plaintext stand apart from its buffer.
func outOfPlace(p *ciphers.Packet, r *rand.ChaCha8) {
	p.Plain = slices.Clone(p.Buf[:p.Len])
	r.Read(p.Buf[:p.Len])
}

// run seals the burst, compares all bytes with the oracle, and opens it.
func (b *burst) run(t testing.TB, impl ciphers.AEAD) {
	t.Helper()
	ps, index := b.packets, ciphers.Identity(len(b.packets))
	ciphers.SealBorder(ps)
	var want [][]byte
	for i := range ps {
		p := &ps[i]
		sealed := b.keys[i].oracle.Seal(slices.Clone(p.Buf[:p.Off]), p.Nonce()[:], b.plain[i], p.AAD(nil))
		want = append(want, append(sealed, p.Buf[len(sealed):]...))
	}
	if n := impl.Seal(ciphers.Burst{Packets: ps, Index: index}); n != len(ps) {
		t.Fatalf("sealed %d of %d", n, len(ps))
	}
	for i := range ps {
		p := &ps[i]
		if !bytes.Equal(p.Buf, want[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes, %d of associated data: status %v\n got %x\nwant %x",
				i, len(ps), p.Len, len(p.AAD(nil)), p.Status, p.Buf, want[i])
		}
		p.Key, p.Len = b.keys[i].open, p.Len+fullTag
		clear(p.Plain)
	}
	ciphers.OpenBorder(ps)
	if n := impl.Open(ciphers.Burst{Packets: ps, Index: index}); n != len(ps) {
		t.Fatalf("opened %d of %d", n, len(ps))
	}
	for i := range ps {
		if p := &ps[i]; !bytes.Equal(p.Opened(fullTag), b.plain[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes: status %v, not the plaintext", i, len(ps), len(b.plain[i]), p.Status)
		}
	}
}
