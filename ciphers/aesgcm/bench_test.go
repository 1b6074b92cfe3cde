package aesgcm

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

var benchSizes = []int{64, 256, 1350, 1450, 8192}

// BenchmarkSeal and BenchmarkOpen measure each tier beside the portable one, in
// turns, so that both see the same machine. They report the medians; the border
// is counted on both sides. Packets are out of place with 20 bytes of
// associated data.
func BenchmarkSeal(b *testing.B) { benchTiers(b, (*tiertest.Burst).Seal) }

func BenchmarkOpen(b *testing.B) { benchTiers(b, (*tiertest.Burst).Open) }

func benchTiers(b *testing.B, run func(*tiertest.Burst)) {
	for _, tier := range tiers() {
		if tier.needs == 0 || !cpu.Detect().Has(tier.needs) {
			continue
		}
		for _, n := range benchSizes {
			for _, shape := range []struct{ burst, keys int }{{1, 1}, {8, 1}, {32, 1}, {32, 32}} {
				b.Run(fmt.Sprintf("%s/%d/burst-%d/keys-%d", tier.name, n, shape.burst, shape.keys), func(b *testing.B) {
					benchPair(b, tier, n, shape.burst, shape.keys, run)
				})
			}
		}
	}
}

func benchPair(b *testing.B, own tier, n, count, keys int, run func(*tiertest.Burst)) {
	std := tier{alg: own.alg, impl: Std()}
	ours, theirs := newBenchBurst(b, own, n, count, keys), newBenchBurst(b, std, n, count, keys)
	calls := max(1, 40000/(count*(100+n)))
	tiertest.Pair(b, count, calls, func() { run(ours) }, func() { run(theirs) })
}

func newBenchBurst(b *testing.B, tier tier, n, count, keys int) *tiertest.Burst {
	r := source("bench")
	pairs := newKeyPairs(b, tier, keys, fullTag, r)
	return tiertest.NewBurst(b, tier.impl, count, func(i int) ([]byte, *ciphers.Key, *ciphers.Key) {
		k := pairs[i%keys]
		return random(r, n), k.seal, k.open
	})
}
