package hpmask

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// tier is one implementation of one algorithm, and what it needs.
type tier struct {
	name   string
	alg    ciphers.Algorithm
	masker ciphers.Masker
	needs  cpu.Set
}

// portable is what every tier is held against.
func portable(alg ciphers.Algorithm) ciphers.Masker {
	if alg == ciphers.MaskChaCha20 {
		return ChaCha20()
	}
	return AES()
}

// eachTier calls f for every tier that this machine can run and names the others.
func eachTier(t *testing.T, f func(t *testing.T, tier tier)) {
	for _, tier := range tiers() {
		t.Run(tier.name, func(t *testing.T) {
			cipherstest.NeedCPU(t, tier.needs)
			f(t, tier)
		})
	}
}

func TestConformance(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) { cipherstest.TestMasker(t, tier.alg, tier.masker) })
}

func portableTiers() []tier {
	return []tier{
		{"aes128-std", ciphers.MaskAES128, AES(), 0},
		{"aes256-std", ciphers.MaskAES256, AES(), 0},
		{"chacha20-std", ciphers.MaskChaCha20, ChaCha20(), 0},
	}
}

// TestOddKeyOut has one packet under another key at each place of a group that
// would else share one.
func TestOddKeyOut(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		for _, n := range []int{8, 16, 37} {
			for odd := range n {
				compare(t, tier, newScene(t, tier, n, func(i int) int {
					if i == odd {
						return 1
					}
					return 0
				}))
			}
		}
	})
}

// TestRuns has keys change after runs of every length, in bursts that end anywhere
// in a group.
func TestRuns(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		for run := 1; run <= 40; run++ {
			for n := 75; n <= 80; n++ {
				compare(t, tier, newScene(t, tier, n, func(i int) int { return i / run }))
			}
		}
	})
}

// TestEverySize has bursts of every size under one key and under keys that take
// turns.
func TestEverySize(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		for n := 1; n <= ciphers.MaxBurst; n++ {
			compare(t, tier, newScene(t, tier, n, oneKey))
			compare(t, tier, newScene(t, tier, n, func(i int) int { return i % 3 }))
		}
	})
}

// TestIndexOutOfSequence leaves out one packet, or exchanges it with the last, at
// each place of groups that would else follow one another, from every start.
func TestIndexOutOfSequence(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		s := newScene(t, tier, 60, oneKey)
		for start := range 20 {
			compareAt(t, tier, s, ciphers.Identity(60)[start:])
			for odd := start; odd < start+34; odd++ {
				index := slices.Clone(ciphers.Identity(60)[start:])
				at, last := odd-start, len(index)-1
				index[at], index[last] = index[last], index[at]
				compareAt(t, tier, s, index)
				compareAt(t, tier, s, slices.Delete(index, at, at+1))
			}
		}
	})
}

func TestEmptyBurst(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		canaries := bytes.Repeat([]byte{0xA5}, ciphers.MaskSize)
		dst := bytes.Clone(canaries)
		if tier.masker.Mask(dst, ciphers.Burst{}); !bytes.Equal(dst, canaries) {
			t.Errorf("a mask of no packet: %x", dst)
		}
		tier.masker.Mask(nil, ciphers.Burst{})
	})
}

// fuzzTiers holds every tier that a processor with those features adds against
// the portable one. The fuzzer chooses the burst: its size, how many keys take
// turns and in what steps, a key and a sample.
func fuzzTiers(f *testing.F, features cpu.Set) {
	cipherstest.NeedCPU(f, features)
	f.Add(uint8(32), uint8(1), uint8(1), []byte("0123456789abcdef0123456789abcdef"), []byte("sample of 16 byt"))
	f.Add(uint8(17), uint8(3), uint8(7), []byte{}, []byte{0xff, 0xff, 0xff, 0xff})
	f.Add(uint8(255), uint8(200), uint8(13), []byte{1}, []byte{})
	f.Fuzz(func(t *testing.T, n, keys, step uint8, secret, sample []byte) {
		for _, tier := range tiers() {
			if tier.needs != features || n == 0 || keys == 0 {
				continue
			}
			s := newScene(t, tier, int(n), func(i int) int { return i * int(step) % int(keys) })
			given := make([]byte, tier.alg.KeySize())
			copy(given, secret)
			s.packets[0].MaskKey = newKey(t, tier.alg, tier.masker, given)
			s.twins[0].MaskKey = newKey(t, tier.alg, portable(tier.alg), given)
			copy(s.packets[0].Sample(), sample)
			compare(t, tier, s)
		}
	})
}
