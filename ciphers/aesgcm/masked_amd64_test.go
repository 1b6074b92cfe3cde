//go:build !purego

package aesgcm

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// maskPair is a mask key, and crypto/aes under the same key.
type maskPair struct {
	key   *ciphers.Key
	block cipher.Block
}

func newMaskPair(t testing.TB, v vector, r *rand.ChaCha8) maskPair {
	t.Helper()
	spec := ciphers.KeySpec{Algorithm: ciphers.MaskAES128, Key: tiertest.Random(r, v.keySize())}
	if v.keySize() == 32 {
		spec.Algorithm = ciphers.MaskAES256
	}
	key, err := ciphers.NewKey(&spec, &ciphers.Plan{Mask: v.masker()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(spec.Key)
	if err != nil {
		t.Fatal(err)
	}
	return maskPair{key, block}
}

// maskedShape is what packets that are alike have in common.
type maskedShape struct{ count, size, aad, sample int }

// headroom is in front of a payload; associated data end there.
const headroom = 64

// near says that the kernels take such samples: from the first two blocks of short packets
// and on from there into tags, from anywhere before the tags of longer ones.
func (s maskedShape) near() bool {
	if s.size <= 128 {
		return s.sample >= headroom && s.sample <= headroom+16
	}
	return s.sample+ciphers.MaskSize <= headroom+s.size
}

// maskedBurst is a burst of a shape, every third packet out of place.
func maskedBurst(k *tiertest.KeyPair, m maskPair, s maskedShape, r *rand.ChaCha8) (b burst) {
	for i := range s.count {
		p := b.AddText(k, tiertest.Random(r, s.size), nil, r)
		p.Buf = append(tiertest.Random(r, headroom), p.Buf...)
		p.Prefix, p.Off, p.AADOff, p.AADLen = nil, headroom, uint16(headroom-s.aad), uint16(s.aad)
		p.MaskKey, p.SampleOff = m.key, uint16(s.sample)
		if i%3 == 1 {
			p.Plain = slices.Clone(b.Plain[i])
			r.Read(p.Buf[headroom:])
		}
	}
	return b
}

// runMasked seals and masks the burst into dst and compares every byte with
// crypto/cipher and crypto/aes.
func (b *burst) runMasked(t testing.TB, v vector, m maskPair, dst []byte) {
	t.Helper()
	ps, before := b.Packets, make([][]byte, len(b.Packets))
	for i := range ps {
		before[i] = slices.Clone(ps[i].Buf)
	}
	_, _, _, alike := ciphers.SealMaskBorder(dst, ps, make([]uint8, 0, ciphers.MaxBurst))
	if !alike {
		t.Fatal("not alike")
	}
	if n := v.SealMask(dst, ps, alike); n != len(ps) {
		t.Fatalf("sealed %d of %d", n, len(ps))
	}
	for i := range ps {
		p, want := &ps[i], before[i]
		b.Keys[i].Oracle.Seal(want[:p.Off], p.Nonce()[:], b.Plain[i], p.AAD(nil))
		if !bytes.Equal(p.Buf, want) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes: status %v\n got %x\nwant %x", i, len(ps), p.Len, p.Status, p.Buf, want)
		}
		var mask [ciphers.MaskSize]byte
		m.block.Encrypt(mask[:], p.Sample())
		if got := dst[ciphers.MaskSize*i:][:ciphers.MaskSize]; !bytes.Equal(got, mask[:]) {
			t.Fatalf("packet %d of %d, %d bytes, sample at %d: mask %x, want %x", i, len(ps), p.Len, p.SampleOff, got, mask)
		}
	}
}

// check has a kernel take so many packets of a burst of that shape, and another such burst
// sealed and masked.
func (s maskedShape) check(t *testing.T, v vector, k *tiertest.KeyPair, m maskPair, r *rand.ChaCha8, kernel func([]byte, []ciphers.Packet) int, taken int) {
	t.Helper()
	b := maskedBurst(k, m, s, r)
	ciphers.SealBorder(b.Packets)
	if n := kernel(make([]byte, ciphers.MaskSize*s.count), b.Packets); n != taken {
		t.Fatalf("%+v: %d packets taken, want %d", s, n, taken)
	}
	canaries := bytes.Repeat([]byte{0xA5}, ciphers.MaskSize)
	dst := append(make([]byte, ciphers.MaskSize*s.count), canaries...)
	b = maskedBurst(k, m, s, r)
	if b.runMasked(t, v, m, dst[:len(dst)-len(canaries)]); !bytes.HasSuffix(dst, canaries) {
		t.Fatalf("%+v: written behind the last mask", s)
	}
}

// TestMaskedPackets has every length that the kernels take and more, bursts that end
// anywhere in a quad, associated data and samples everywhere, and counts what they take.
func TestMaskedPackets(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("masked packets")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		for n := range maxUniformPayload + 2 {
			for _, count := range []int{1, 3, 4, 5, 7, 8, 9, 12, 18, 32, 35} {
				s := maskedShape{count, n, (7*n + count) % (headroom + 1), (n*count + n) % (headroom + n + 1)}
				want := 0
				if n > 0 && n <= maxUniformPayload && s.aad <= maxUniformAAD && s.near() {
					want = count &^ 3
				}
				s.check(t, v, k, m, r, v.sealMasked, want)
			}
		}
	})
}

// TestMaskedNearSamples has samples at every place in short packets that the kernels know,
// and the next one.
func TestMaskedNearSamples(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("masked near samples")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		for n := 1; n <= 130; n++ {
			for at := range min(n, 17) + 1 {
				s, want := maskedShape{9, n, 20, headroom + at}, 0
				if s.near() {
					want = 8
				}
				s.check(t, v, k, m, r, v.sealMasked, want)
			}
		}
	})
}

// TestMaskedLongBursts has bursts that take the kernels more than one call.
func TestMaskedLongBursts(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("masked long bursts")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		for _, n := range []int{4, 16, 18, 250, maxUniformPayload} {
			for count := ciphers.MaxBurst - 5; count <= ciphers.MaxBurst; count++ {
				b := maskedBurst(k, m, maskedShape{count, n, 11, headroom + 2}, r)
				b.runMasked(t, v, m, make([]byte, ciphers.MaskSize*count))
			}
		}
	})
}
