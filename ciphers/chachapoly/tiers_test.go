package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// tier is an implementation, and what it needs.
type tier struct {
	name  string
	impl  ciphers.AEAD
	needs cpu.Set
}

// eachTier calls f for every tier that this machine can run and names the others.
func eachTier(t *testing.T, f func(t *testing.T, tier tier)) {
	for _, tier := range tiers() {
		t.Run(tier.name, func(t *testing.T) {
			cipherstest.NeedCPU(t, tier.needs)
			f(t, tier)
		})
	}
}

func TestConformance(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) { cipherstest.TestAEAD(t, ciphers.ChaCha20Poly1305, tier.impl) })
}

func TestEmptyBurst(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		if n := tier.impl.Seal(ciphers.Burst{}) + tier.impl.Open(ciphers.Burst{}); n != 0 {
			t.Errorf("%d packets of none", n)
		}
	})
}
