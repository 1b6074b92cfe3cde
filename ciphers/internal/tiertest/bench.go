package tiertest

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// BenchSizes are the payloads that kernels are timed with, in bytes.
func BenchSizes() []int { return []int{64, 256, 1350, 1450, 8192} }

// Shape is how many packets a burst has, and how many keys take turns in it.
type Shape struct{ Burst, Keys int }

// Family is what the kernels of one cipher are timed with.
type Family struct {
	Tiers  []Tier
	Std    ciphers.AEAD // what each tier runs beside
	Shapes []Shape
	Keys   func(b *testing.B, tier Tier, n int) []*KeyPair
}

// Bench times every tier that this machine can run beside the portable one, in every shape.
func (f Family) Bench(b *testing.B, run func(*Burst)) {
	for _, tier := range f.Tiers {
		if tier.Needs == 0 || !cpu.Detect().Has(tier.Needs) {
			continue
		}
		for _, n := range BenchSizes() {
			for _, s := range f.Shapes {
				b.Run(fmt.Sprintf("%s/%d/burst-%d/keys-%d", tier.Name, n, s.Burst, s.Keys), func(b *testing.B) {
					f.pair(b, tier, n, s, run)
				})
			}
		}
	}
}

func (f Family) pair(b *testing.B, own Tier, n int, s Shape, run func(*Burst)) {
	std := Tier{Alg: own.Alg, Impl: f.Std}
	ours, theirs := f.Burst(b, own, n, s), f.Burst(b, std, n, s)
	calls := max(1, 40000/(s.Burst*(100+n)))
	Pair(b, s.Burst, calls, func() { run(ours) }, func() { run(theirs) })
}

// Burst is a burst of that shape whose plaintexts have n bytes.
func (f Family) Burst(b *testing.B, tier Tier, n int, s Shape) *Burst {
	r, keys := Source("plaintexts"), f.Keys(b, tier, s.Keys)
	return newBurst(b, tier.Impl, s.Burst, func(i int) ([]byte, *KeyPair) { return Random(r, n), keys[i%len(keys)] })
}
