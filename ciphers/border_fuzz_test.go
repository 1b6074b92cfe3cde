package ciphers_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20poly1305"
)

const arenaSize = 256

// fuzzPair is a sealing and an opening key that share secret and nonce: of a
// library that panics when its arguments overlap, and of one that does not look.
type fuzzPair struct {
	impl ciphers.AEAD
	aead cipher.AEAD
	keys [2]*ciphers.Key
}

func newFuzzKeys(f *testing.F, alg ciphers.Algorithm, form ciphers.NonceForm, newAEAD ciphers.NewAEADFunc) fuzzPair {
	secret, iv := bytes.Repeat([]byte{7}, alg.KeySize()), []byte{1, 2, 3, 4}
	if form == ciphers.NonceXOR {
		iv = bytes.Repeat([]byte{9}, 12)
	}
	aead, err := newAEAD(secret, 12, 16)
	if err != nil {
		f.Fatal(err)
	}
	pair := fuzzPair{impl: ciphers.Std(newAEAD), aead: aead}
	for i, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		spec := ciphers.KeySpec{Algorithm: alg, Direction: d, Key: secret, Nonce: form, IV: iv}
		pair.keys[i], err = ciphers.NewKey(&spec, &ciphers.Plan{Bulk: pair.impl}, nil)
		if err != nil {
			f.Fatal(err)
		}
	}
	return pair
}

func newGCM(key []byte, _, _ int) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func newChaCha(key []byte, _, _ int) (cipher.AEAD, error) { return chacha20poly1305.New(key) }

// FuzzBorder lays Buf, Plain and Prefix anywhere in one arena, one over another
// at will, with any offsets. Whatever passes the border must be sealed and
// opened as if its parts lay apart, and no other byte may change.
func FuzzBorder(f *testing.F) {
	all := []fuzzPair{
		newFuzzKeys(f, ciphers.AES128GCM, ciphers.NonceXOR, newGCM),
		newFuzzKeys(f, ciphers.AES128GCM, ciphers.NonceExplicit, newGCM),
		newFuzzKeys(f, ciphers.ChaCha20Poly1305, ciphers.NonceXOR, newChaCha),
	}
	f.Add(uint8(0), []byte{0, 100, 0, 0, 0, 0}, uint32(40), uint16(21), uint16(0), uint16(13), uint16(13), uint64(1))
	f.Add(uint8(1), []byte{0, 100, 0, 0, 0, 0}, uint32(40), uint16(21), uint16(0), uint16(13), uint16(13), uint64(1))
	f.Add(uint8(4), []byte{0, 100, 110, 50, 200, 13}, uint32(40), uint16(21), uint16(0), uint16(13), uint16(13), uint64(1))
	f.Add(uint8(5), []byte{0, 100, 5, 50, 30, 13}, uint32(56), uint16(41), uint16(0), uint16(13), uint16(13), uint64(1))
	f.Add(uint8(3), []byte{50, 100, 40, 13, 0, 13}, uint32(56), uint16(21), uint16(65535), uint16(0), uint16(65535), uint64(1<<63))
	f.Add(uint8(2), []byte{50, 100, 40, 60, 60, 13}, uint32(1<<32-1), uint16(21), uint16(7), uint16(3), uint16(8), uint64(1<<48))
	f.Fuzz(func(t *testing.T, which uint8, slicesOf []byte, n uint32, off, aadOff, aadLen, ivOff uint16, number uint64) {
		if len(slicesOf) < 6 {
			return
		}
		pair := all[int(which>>1)%len(all)]
		arena := make([]byte, arenaSize)
		for i := range arena {
			arena[i] = byte(i*7 + 1)
		}
		p := ciphers.Packet{
			Buf: cut(arena, slicesOf[0:]), Plain: cut(arena, slicesOf[2:]), Prefix: cut(arena, slicesOf[4:]),
			Key: pair.keys[which&1], Number: number, Len: n, Off: off, AADOff: aadOff, AADLen: aadLen, IVOff: ivOff,
		}
		if which&1 == 0 {
			fuzzSeal(t, pair, arena, p)
		} else {
			fuzzOpen(t, pair, arena, p)
		}
	})
}

// cut is a piece of the arena, from and length, or nil for length 0.
func cut(arena, at []byte) []byte {
	from, n := int(at[0]), int(at[1])
	if n == 0 {
		return nil
	}
	to := min(from+n, len(arena))
	return arena[from:to:to]
}

func fuzzSeal(t *testing.T, pair fuzzPair, arena []byte, p ciphers.Packet) {
	before := slices.Clone(arena)
	ps := []ciphers.Packet{p}
	if ciphers.SealBorder(ps); ps[0].Status != ciphers.StatusNone {
		unchanged(t, before, arena)
		return
	}
	bordered := slices.Clone(arena)
	plaintext := before[offset(arena, ps[0].Plaintext()):][:p.Len]
	want := pair.aead.Seal(nil, ps[0].Nonce()[:], plaintext, slices.Clone(ps[0].AAD(nil)))
	if n := pair.impl.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(1)}); n != 1 {
		t.Fatalf("sealed %d", n)
	}
	sealed := ps[0].Sealed(pair.aead.Overhead())
	if !bytes.Equal(sealed, want) {
		t.Errorf("sealed %x, want %x", sealed, want)
	}
	copy(sealed, bordered[offset(arena, sealed):])
	unchanged(t, bordered, arena)
}

// offset is where a piece of the arena starts.
func offset(arena, piece []byte) int {
	for i := range arena {
		if len(piece) > 0 && &arena[i] == &piece[0] {
			return i
		}
	}
	return 0
}

func fuzzOpen(t *testing.T, pair fuzzPair, arena []byte, p ciphers.Packet) {
	before := slices.Clone(arena)
	ps := []ciphers.Packet{p}
	if ciphers.OpenBorder(ps); ps[0].Status != ciphers.StatusNone {
		unchanged(t, before, arena)
		return
	}
	unchanged(t, before, arena)
	n := len(ps[0].Received()) - pair.aead.Overhead()
	plaintext := before[:n]
	sealed := pair.aead.Seal(nil, ps[0].Nonce()[:], plaintext, slices.Clone(ps[0].AAD(nil)))
	copy(ps[0].Received(), sealed)
	authentic := slices.Clone(arena)
	if n := pair.impl.Open(ciphers.Burst{Packets: ps, Index: ciphers.Identity(1)}); n != 1 {
		t.Fatalf("opened %d, status %v", n, ps[0].Status)
	}
	opened := ps[0].Opened(pair.aead.Overhead())
	if !bytes.Equal(opened, plaintext) {
		t.Errorf("opened %x, want %x", opened, plaintext)
	}
	copy(opened, authentic[offset(arena, opened):])
	unchanged(t, authentic, arena)
}

func unchanged(t *testing.T, want, got []byte) {
	t.Helper()
	if !bytes.Equal(want, got) {
		t.Errorf("bytes changed that should not have")
	}
}
