package hpmask

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// BenchmarkMask measures each tier beside the portable one, in turns, so that
// both see the same machine. It reports the medians.
func BenchmarkMask(b *testing.B) {
	for _, tier := range tiers() {
		if tier.needs == 0 || !cpu.Detect().Has(tier.needs) {
			continue
		}
		for _, n := range []int{1, 2, 4, 8, 16, 31, 32, 64, 256} {
			b.Run(fmt.Sprintf("%s/one-key/%d", tier.name, n), func(b *testing.B) { benchPair(b, tier, n, oneKey) })
		}
		b.Run(fmt.Sprintf("%s/own-keys/32", tier.name), func(b *testing.B) { benchPair(b, tier, 32, ownKey) })
	}
}

func benchPair(b *testing.B, tier tier, n int, keyOf func(int) int) {
	s := newScene(b, tier, n, keyOf)
	index, std := ciphers.Identity(n), portable(tier.alg)
	const calls = 200
	tiertest.Pair(b, n, calls,
		func() { tier.masker.(ciphers.RowMasker).MaskRow(s.dst, s.packets) },
		func() { std.Mask(s.want, ciphers.Burst{Packets: s.twins, Index: index}) })
}
