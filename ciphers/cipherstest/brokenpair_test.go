package cipherstest

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/aesgcm"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// brokenPairs are faults of AEADs that mask what they seal, and the part of
// TestMaskSealer that must see each.
var brokenPairs = []struct {
	name, part string
	pair       pairFunc
}{
	{"masks before it seals", "SealsAndMasks", func(dst []byte, seal ciphers.AEAD, mask ciphers.Masker, b ciphers.Burst) int {
		mask.Mask(dst, ciphers.Burst{Packets: b.Packets, Index: b.Index})
		return seal.Seal(b)
	}},
	{"forgets to mask the last", "SealsAndMasks", func(dst []byte, seal ciphers.AEAD, mask ciphers.Masker, b ciphers.Burst) int {
		mask.Mask(dst, ciphers.Burst{Packets: b.Packets, Index: b.Index[:len(b.Index)-1]})
		return seal.Seal(b)
	}},
	{"allocates as it masks", "NoAllocations", func(dst []byte, seal ciphers.AEAD, mask ciphers.Masker, b ciphers.Burst) int {
		sink = slices.Clone(dst)
		return sealThenMask(dst, seal, mask, b)
	}},
}

// pairFunc seals and masks by two implementations.
type pairFunc func(dst []byte, seal ciphers.AEAD, mask ciphers.Masker, b ciphers.Burst) int

func sealThenMask(dst []byte, seal ciphers.AEAD, mask ciphers.Masker, b ciphers.Burst) int {
	n := seal.Seal(b)
	mask.Mask(dst, ciphers.Burst{Packets: b.Packets, Index: b.Index})
	return n
}

// pair is a MaskSealer for the portable AES masks.
type pair struct {
	ciphers.AEAD
	run pairFunc
}

func (pair) MasksWith(m ciphers.Masker) bool { return m == hpmask.AES() }

func (p pair) SealMask(dst []byte, ps []ciphers.Packet, _ bool) int {
	return p.run(dst, p.AEAD, hpmask.AES(), ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))})
}

// testBrokenPair runs TestMaskSealer over one broken pair.
func testBrokenPair(t *testing.T, run pairFunc) {
	TestMaskSealer(t, ciphers.AES128GCM, pair{aesgcm.Std(), run}, ciphers.MaskAES128, hpmask.AES())
}

// TestSoundBackend runs the whole kit over a small backend that is right, with
// an AEAD that masks what it seals.
func TestSoundBackend(t *testing.T) {
	TestBackend(t, &ciphers.Backend{
		Name:  "sound",
		AEADs: map[ciphers.Algorithm]ciphers.AEAD{ciphers.AES128GCM: pair{aesgcm.Std(), sealThenMask}},
		Masks: map[ciphers.Algorithm]ciphers.Masker{
			ciphers.MaskAES128: hpmask.AES(), ciphers.MaskAES256: hpmask.AES(), ciphers.MaskChaCha20: hpmask.ChaCha20(),
		},
		Lone: map[ciphers.Algorithm]int{ciphers.AES128GCM: 4},
	})
}
