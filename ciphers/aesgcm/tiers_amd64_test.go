//go:build !purego

package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

func tiers() []tier {
	return append(portableTiers(),
		tier{"aes128-vaes512", ciphers.AES128GCM, AES128VAES512(), RequiresVAES512},
		tier{"aes256-vaes512", ciphers.AES256GCM, AES256VAES512(), RequiresVAES512},
		tier{"aes128-vaes256", ciphers.AES128GCM, AES128VAES256(), RequiresVAES256},
		tier{"aes256-vaes256", ciphers.AES256GCM, AES256VAES256(), RequiresVAES256},
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
	eachTier(t, func(t *testing.T, tier tier) {
		m, ok := maskers[tier.name]
		if !ok {
			return
		}
		impl := tier.impl.(ciphers.MaskSealer)
		cipherstest.TestMaskSealer(t, tier.alg, impl, m.alg, m.masker)
		for name, other := range maskers {
			if name != tier.name && impl.MasksWith(other.masker) {
				t.Errorf("takes the masks of %s", name)
			}
		}
	})
}

// TestRequirements has each feature of a tier missed when it is taken away.
func TestRequirements(t *testing.T) {
	for _, needs := range []cpu.Set{RequiresVAES512, RequiresVAES256} {
		for bit := cpu.Set(1); bit != 0; bit <<= 1 {
			if needs&bit != 0 && (needs &^ bit).Has(needs) {
				t.Errorf("%v is not missed", bit)
			}
		}
	}
	for _, bit := range []cpu.Set{cpu.AESNI, cpu.PCLMULQDQ, cpu.VAES, cpu.VPCLMULQDQ, cpu.BMI2, cpu.AVX512BW, cpu.AVX512DQ, cpu.AVX512VL, cpu.ZMM} {
		if RequiresVAES512&bit == 0 {
			t.Errorf("the 512-bit tiers do not ask for %v", bit)
		}
	}
}

func FuzzVAES512(f *testing.F) { fuzzTiers(f, RequiresVAES512) }

func FuzzVAES256(f *testing.F) { fuzzTiers(f, RequiresVAES256) }
