package chachapoly

import (
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestUniformBursts has bursts of one length: every length, in bursts of 1 to 35.
func TestUniformBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("uniform")
		keys := newKeyPairs(t, tier, 3, r)
		for n := range 2200 {
			if testing.Short() && n > 700 && n%64 > 1 {
				continue
			}
			var b tiertest.Scene
			for i := range 1 + (n*7+n/64)%35 {
				b.Add(keys[i/5%len(keys)], n, 13, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestMixedBursts has packets of any lengths and keys, with any associated data in
// either form or both, in place or not.
func TestMixedBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("mixed")
		rng := rand.New(r)
		keys := newKeyPairs(t, tier, 7, r)
		for round := range 150 {
			longest := []int{40, 300, 2100, 2100, 9000}[round%5]
			var b tiertest.Scene
			for range 1 + rng.IntN([]int{ciphers.MaxBurst, 70, 20, 9}[round%4]) {
				n := rng.IntN(longest + 1)
				if round%3 == 0 {
					n -= n % (longest / 3)
				}
				p := b.Add(keys[rng.IntN(len(keys))], n, rng.IntN(101), r)
				if rng.IntN(3) > 0 {
					tiertest.InBuffer(p, rng.IntN(len(p.Prefix)+1))
				}
				if rng.IntN(3) == 0 {
					tiertest.OutOfPlace(p, r)
				}
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestLongBursts exceeds what one call of a kernel takes.
func TestLongBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("long")
		keys := newKeyPairs(t, tier, 2, r)
		for _, n := range []int{8191, 8192, 8193, 8208, 16384, ciphers.MaxPayload} {
			var b tiertest.Scene
			for i := range 18 {
				b.Add(keys[i%2], n-i%2*i, i*3, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestSmallBursts has every number of packets beside every number of blocks up to a set of lanes,
// where opening makes key stream ahead.
func TestSmallBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("small")
		k := newKeyPair(t, tier, r)
		for count := 1; count <= 33; count++ {
			for n := 0; n <= 1100; n += 1 + n/64*29 {
				var b tiertest.Scene
				for i := range count {
					b.Add(k, n+i%2*17, i, r)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestForgeries spoils one byte of packets of a burst: of the tag, the ciphertext or the
// associated data.
func TestForgeries(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("forgeries")
		k := newKeyPair(t, tier, r)
		for n := 1; n < 1500; n += 1 + n/16*7 {
			for _, count := range []int{3, 8, 21} {
				var b tiertest.Scene
				for i := range count {
					if p := b.Add(k, n, 13, r); i%2 == 1 {
						tiertest.OutOfPlace(p, r)
					}
				}
				forge(t, &b, tier.Impl, n%count)
			}
		}
	})
}

// forge seals the burst, spoils every third packet from first on, and opens it.
func forge(t *testing.T, b *tiertest.Scene, impl ciphers.AEAD, first int) {
	t.Helper()
	ps, all := b.Packets, ciphers.Burst{Packets: b.Packets, Index: ciphers.Identity(len(b.Packets))}
	ciphers.SealBorder(ps)
	impl.Seal(all)
	good := len(ps)
	for i := range ps {
		p := &ps[i]
		p.Key, p.Len = b.Keys[i].Open, p.Len+fullTag
		if i%3 != first%3 {
			continue
		}
		good--
		switch i % 4 {
		case 0:
			p.Buf[p.Len-1] ^= 0x80
		case 1:
			p.Buf[0] ^= 1
		case 2:
			p.Prefix[len(p.Prefix)-1] ^= 1
		case 3:
			p.Buf[p.Len-fullTag] ^= 1
		}
	}
	ciphers.OpenBorder(ps)
	if n := impl.Open(all); n != good {
		t.Fatalf("opened %d of %d", n, good)
	}
	for i := range ps {
		want, status := b.Plain[i], ciphers.StatusOK
		if i%3 == first%3 {
			want, status = make([]byte, len(want)), ciphers.StatusAuth
		}
		if p := &ps[i]; p.Status != status || string(p.Opened(fullTag)) != string(want) {
			t.Fatalf("packet %d of %d, %d bytes: status %v, or not the bytes", i, len(ps), len(want), p.Status)
		}
	}
}
