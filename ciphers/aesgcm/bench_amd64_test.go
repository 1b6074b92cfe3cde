//go:build !purego

package aesgcm

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// BenchmarkSealMask reports what masks in the same call add to sealing, the
// median of what SealMask takes longer than SealRow, in turns.
func BenchmarkSealMask(b *testing.B) {
	have := cpu.Detect()
	for _, tier := range tiers() {
		if v, ok := tier.Impl.(vector); ok && have.Has(tier.Needs) {
			for _, n := range tiertest.BenchSizes() {
				b.Run(fmt.Sprintf("%s/%d", tier.Name, n), func(b *testing.B) { benchMasks(b, tier, v, n) })
			}
		}
	}
}

func benchMasks(b *testing.B, tier tiertest.Tier, v vector, n int) {
	const count = 32
	s := family().Burst(b, tier, n, tiertest.Shape{Burst: count, Keys: 1})
	spec := ciphers.KeySpec{Algorithm: ciphers.MaskAES128, Key: make([]byte, v.keySize())}
	if v.keySize() == 32 {
		spec.Algorithm = ciphers.MaskAES256
	}
	k, err := ciphers.NewKey(&spec, &ciphers.Plan{Mask: v.masker()}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := range s.ToSeal {
		s.ToSeal[i].MaskKey, s.ToSeal[i].SampleOff = k, s.ToSeal[i].Off+4
	}
	masks := make([]byte, count*ciphers.MaskSize)
	calls := max(1, 100000/(count*(100+n)))
	var more []float64
	for b.Loop() {
		t := tiertest.Timed(func() { v.SealRow(s.ToSeal, ciphers.SlotBulk) }, calls)
		more = append(more, tiertest.Timed(func() { v.SealMask(masks, s.ToSeal, true) }, calls)-t)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(tiertest.Median(more)/count, "mask-ns/packet")
}
