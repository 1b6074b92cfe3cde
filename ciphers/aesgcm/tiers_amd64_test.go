//go:build !purego

package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/hpmask"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

func tiers() []tiertest.Tier {
	return append(portableTiers(),
		tiertest.Tier{Name: "aes128-vaes512", Alg: ciphers.AES128GCM, Impl: AES128VAES512(), Needs: RequiresVAES512},
		tiertest.Tier{Name: "aes256-vaes512", Alg: ciphers.AES256GCM, Impl: AES256VAES512(), Needs: RequiresVAES512},
		tiertest.Tier{Name: "aes128-vaes256", Alg: ciphers.AES128GCM, Impl: AES128VAES256(), Needs: RequiresVAES256},
		tiertest.Tier{Name: "aes256-vaes256", Alg: ciphers.AES256GCM, Impl: AES256VAES256(), Needs: RequiresVAES256},
	)
}

func TestConformanceWithMasks(t *testing.T) {
	maskers := map[string]struct {
		alg    ciphers.Algorithm
		masker ciphers.Masker
	}{
		"aes128-vaes512": {ciphers.MaskAES128, hpmask.AES128VAES512()},
		"aes256-vaes512": {ciphers.MaskAES256, hpmask.AES256VAES512()},
		"aes128-vaes256": {ciphers.MaskAES128, hpmask.AES128VAES256()},
		"aes256-vaes256": {ciphers.MaskAES256, hpmask.AES256VAES256()},
	}
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		m, ok := maskers[tier.Name]
		if !ok {
			return
		}
		impl := tier.Impl.(ciphers.MaskSealer)
		cipherstest.TestMaskSealer(t, tier.Alg, impl, m.alg, m.masker)
		for name, other := range maskers {
			if name != tier.Name && impl.MasksWith(other.masker) {
				t.Errorf("takes the masks of %s", name)
			}
		}
	})
}

// TestRequirements has each tier ask for the extensions that its instructions
// belong to, and for nothing that its registers do not need.
func TestRequirements(t *testing.T) {
	both := []cpu.Set{cpu.AESNI, cpu.PCLMULQDQ, cpu.VAES, cpu.VPCLMULQDQ}
	wide := []cpu.Set{cpu.BMI2, cpu.AVX512F, cpu.AVX512BW, cpu.AVX512DQ, cpu.AVX512VL, cpu.ZMM}
	for _, tier := range []struct {
		name        string
		needs       cpu.Set
		asks, never []cpu.Set
	}{
		{"512-bit", RequiresVAES512, append(wide, both...), nil},
		{"256-bit", RequiresVAES256, append([]cpu.Set{cpu.AVX2}, both...), wide},
	} {
		for _, feature := range tier.asks {
			if !tier.needs.Has(feature) {
				t.Errorf("the %s tiers do not ask for %v", tier.name, feature)
			}
		}
		for _, feature := range tier.never {
			if tier.needs.Has(feature) {
				t.Errorf("the %s tiers ask for %v", tier.name, feature)
			}
		}
	}
}

func FuzzVAES512(f *testing.F) { fuzzTiers(f, RequiresVAES512) }

func FuzzVAES256(f *testing.F) { fuzzTiers(f, RequiresVAES256) }
