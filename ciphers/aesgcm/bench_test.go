package aesgcm

import (
	"fmt"
	"slices"
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
func BenchmarkSeal(b *testing.B) { benchTiers(b, (*benchBurst).seal) }

func BenchmarkOpen(b *testing.B) { benchTiers(b, (*benchBurst).open) }

func benchTiers(b *testing.B, run func(*benchBurst)) {
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

func benchPair(b *testing.B, own tier, n, count, keys int, run func(*benchBurst)) {
	std := tier{alg: own.alg, impl: Std()}
	ours, theirs := newBenchBurst(b, own, n, count, keys), newBenchBurst(b, std, n, count, keys)
	calls := max(1, 40000/(count*(100+n)))
	tiertest.Pair(b, count, calls, func() { run(ours) }, func() { run(theirs) })
}

// benchBurst is a burst to seal, and the same sealed, to open.
type benchBurst struct {
	impl             ciphers.AEAD
	toSeal, toOpen   []ciphers.Packet
	sealing, opening ciphers.Burst
}

func newBenchBurst(b *testing.B, tier tier, n, count, keys int) *benchBurst {
	const header = 20
	r := source("bench")
	pairs := newKeyPairs(b, tier, keys, fullTag, r)
	s := &benchBurst{impl: tier.impl}
	for i := range count {
		p := ciphers.Packet{
			Buf: make([]byte, header+n+fullTag), Plain: random(r, n), Key: pairs[i%keys].seal,
			Number: uint64(i), Len: uint32(n), Off: header, AADLen: header,
		}
		s.toSeal = append(s.toSeal, p)
		p.Plain, p.Key, p.Len = make([]byte, n), pairs[i%keys].open, uint32(n+fullTag)
		s.toOpen = append(s.toOpen, p)
	}
	s.sealing = ciphers.Burst{Packets: s.toSeal, Index: ciphers.Identity(count)}
	s.opening = ciphers.Burst{Packets: s.toOpen, Index: ciphers.Identity(count)}
	s.seal()
	s.open()
	if slices.ContainsFunc(s.toOpen, func(p ciphers.Packet) bool { return p.Status != ciphers.StatusOK }) {
		b.Fatal("the burst does not open")
	}
	return s
}

func (s *benchBurst) seal() {
	ciphers.SealBorder(s.toSeal)
	s.impl.Seal(s.sealing)
}

func (s *benchBurst) open() {
	ciphers.OpenBorder(s.toOpen)
	s.impl.Open(s.opening)
}
