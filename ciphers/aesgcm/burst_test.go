package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestUniformBursts has bursts of one length, which kernels process in step or
// hash one packet behind: every length, in bursts of 1 to 35.
func TestUniformBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("uniform")
		keys := newKeyPairs(t, tier, 3, fullTag, r)
		for n := range 4201 {
			if testing.Short() && n > 700 && n%64 > 1 {
				continue
			}
			var b burst
			for i := range 1 + (n*7+n/64)%35 {
				b.Add(keys[i/5%len(keys)], n, 13, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestShapesInOneBurst has neighbours differ in one thing: the length of the
// payload, that of the associated data, where they lie, and the key.
func TestShapesInOneBurst(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("shapes")
		keys := newKeyPairs(t, tier, 4, fullTag, r)
		for _, n := range []int{0, 1, 16, 47, 63, 64, 65, 100, 128, 320, 321, 576, 577, 1450} {
			for period := 1; period <= 8; period++ {
				var b burst
				for i := range 40 {
					odd := i % period
					aad := []int{20, 20, 0, 13, 48, 49, 20, 16}[odd]
					p := b.Add(keys[odd/3], max(n-odd%4, 0), aad, r)
					if odd%2 == 1 {
						tiertest.InBuffer(p, len(p.Prefix))
					}
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestTagSizesInOneBurst mixes tags of 8, 12 and 16 bytes.
func TestTagSizesInOneBurst(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("tags")
		var keys []*tiertest.KeyPair
		for _, tag := range tier.Alg.TagSizes() {
			keys = append(keys, newKeyPair(t, tier, tag, r))
		}
		for n := range 200 {
			var b burst
			for i := range 17 {
				k := keys[i%len(keys)]
				b.Add(k, n+fullTag-k.Tag, 8, r) // as long as the others when sealed
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestLongBursts exceeds what one call of a kernel takes.
func TestLongBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("long")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		for _, n := range []int{4096, 16384, 65535} {
			var b burst
			for i := range 33 {
				b.Add(keys[i%2], n, i*3, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// fuzzTiers holds every tier that a processor with those features adds against
// crypto/cipher. The fuzzer chooses how many packets and keys there are, their
// lengths, and text to seal.
func fuzzTiers(f *testing.F, needs cpu.Set) {
	cipherstest.NeedCPU(f, needs)
	f.Add(uint8(32), uint8(1), uint16(64), uint16(0), uint8(20), []byte("text"))
	f.Add(uint8(5), uint8(3), uint16(1450), uint16(77), uint8(50), []byte{0})
	f.Add(uint8(200), uint8(7), uint16(3), uint16(1), uint8(0), []byte{0xff})
	f.Fuzz(func(t *testing.T, count, keys uint8, n, step uint16, aad uint8, text []byte) {
		if count == 0 || keys == 0 || len(text) == 0 {
			return
		}
		for _, tier := range tiers() {
			if tier.Needs == needs {
				fuzzTier(t, tier, int(count)%48+1, int(keys)%9+1, int(n), int(step), int(aad), text)
			}
		}
	})
}

func fuzzTier(t *testing.T, tier tiertest.Tier, count, keys, n, step, aad int, text []byte) {
	r := tiertest.Source(string(text[:min(len(text), 32)]))
	pairs := newKeyPairs(t, tier, keys, tier.Alg.TagSizes()[aad%3], r)
	var b burst
	for i := range count {
		plain := tiertest.Random(r, (n+i*step)%5000)
		copy(plain, text)
		p := b.AddText(pairs[i%keys], plain, tiertest.Random(r, (aad+i*step)%80), r)
		if i&step&1 == 1 {
			tiertest.InBuffer(p, len(p.Prefix))
		}
	}
	b.Run(t, tier.Impl)
}
