package tiertest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// Tier is one implementation of one AEAD, and what it needs.
type Tier struct {
	Name  string
	Alg   ciphers.Algorithm
	Impl  ciphers.AEAD
	Needs cpu.Set
}

// Each calls f for every tier that this machine can run and names the others.
func Each(t *testing.T, tiers []Tier, f func(t *testing.T, tier Tier)) {
	for _, tier := range tiers {
		t.Run(tier.Name, func(t *testing.T) {
			cipherstest.NeedCPU(t, tier.Needs)
			f(t, tier)
		})
	}
}

// TestEmptyBurst has every tier take a burst of no packet.
func TestEmptyBurst(t *testing.T, tiers []Tier) {
	Each(t, tiers, func(t *testing.T, tier Tier) {
		if n := tier.Impl.Seal(ciphers.Burst{}) + tier.Impl.Open(ciphers.Burst{}); n != 0 {
			t.Errorf("%d packets of none", n)
		}
	})
}

// TestConformance has every tier answer cipherstest.
func TestConformance(t *testing.T, tiers []Tier) {
	Each(t, tiers, func(t *testing.T, tier Tier) { cipherstest.TestAEAD(t, tier.Alg, tier.Impl) })
}
