package hpmask

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
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
	var ours, theirs, ratios []float64
	for b.Loop() {
		x := timed(func() { tier.masker.(ciphers.RowMasker).MaskRow(s.dst, s.packets) })
		y := timed(func() { std.Mask(s.want, ciphers.Burst{Packets: s.twins, Index: index}) })
		ours, theirs, ratios = append(ours, x), append(theirs, y), append(ratios, y/x)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours)/float64(n), "ns/packet")
	b.ReportMetric(median(theirs)/float64(n), "std-ns/packet")
	b.ReportMetric(median(ratios), "ratio")
}

// timed is the time of one call in ns, from a run of 200.
func timed(f func()) float64 {
	const calls = 200
	start := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / calls
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
