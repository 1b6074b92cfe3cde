package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// tier is one implementation of one algorithm, and what it needs.
type tier struct {
	name  string
	alg   ciphers.Algorithm
	impl  ciphers.AEAD
	needs cpu.Set
}

func portableTiers() []tier {
	return []tier{
		{"aes128-std", ciphers.AES128GCM, Std(), 0},
		{"aes192-std", ciphers.AES192GCM, Std(), 0},
		{"aes256-std", ciphers.AES256GCM, Std(), 0},
	}
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
	eachTier(t, func(t *testing.T, tier tier) { cipherstest.TestAEAD(t, tier.alg, tier.impl) })
}

func TestEmptyBurst(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		if n := tier.impl.Seal(ciphers.Burst{}) + tier.impl.Open(ciphers.Burst{}); n != 0 {
			t.Errorf("%d packets of none", n)
		}
	})
}
