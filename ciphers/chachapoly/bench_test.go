package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// BenchmarkSeal and BenchmarkOpen measure each tier beside the portable one, in
// turns, so that both see the same machine. They report the medians; the border
// is counted on both sides.
func BenchmarkSeal(b *testing.B) { family().Bench(b, (*tiertest.Burst).Seal) }

func BenchmarkOpen(b *testing.B) { family().Bench(b, (*tiertest.Burst).Open) }

func family() tiertest.Family {
	return tiertest.Family{
		Tiers: tiers(), Std: Std(),
		Shapes: []tiertest.Shape{
			{Burst: 1, Keys: 1}, {Burst: 2, Keys: 1}, {Burst: 3, Keys: 1}, {Burst: 4, Keys: 1},
			{Burst: 8, Keys: 1}, {Burst: 32, Keys: 1}, {Burst: 32, Keys: 32},
		},
		Keys: func(b *testing.B, tier tiertest.Tier, n int) []*tiertest.KeyPair {
			return newKeyPairs(b, tier, n, tiertest.Source("bench"))
		},
	}
}
