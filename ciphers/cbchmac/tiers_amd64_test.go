//go:build amd64 && !purego

package cbchmac

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

func TestVAES512Conformance(t *testing.T) {
	needVAES512(t)
	tier := VAES512()
	for _, alg := range slices.Sorted(maps.Keys(tier)) {
		t.Run(alg.String(), func(t *testing.T) { cipherstest.TestAEAD(t, alg, tier[alg]) })
	}
}

// TestRequirementsCoverTheInstructions reads what the generator found that each
// file needs.
func TestRequirementsCoverTheInstructions(t *testing.T) {
	bits := map[string]cpu.Set{
		"AES": cpu.AESNI, "AVX": cpu.AVX, "VAES": cpu.VAES, "AVX512F": cpu.AVX512F, "AVX512BW": cpu.AVX512BW,
	}
	for _, part := range []string{"key", "cbc", "sha"} {
		text, err := os.ReadFile("cbchmac_" + part + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^// Requires: (.*)$`).FindAllStringSubmatch(string(text), -1)
		if len(lines) == 0 {
			t.Errorf("%s names no feature", part)
		}
		for _, line := range lines {
			for name := range strings.SplitSeq(line[1], ", ") {
				if bit, known := bits[name]; !known || !RequiresVAES512.Has(bit) {
					t.Errorf("%s uses %s", part, name)
				}
			}
		}
	}
}

func benchTiers(alg ciphers.Algorithm) []benchTier {
	tiers := []benchTier{{"std", Std()}}
	if cpu.Detect().Has(RequiresVAES512) {
		tiers = append(tiers, benchTier{"vaes512", VAES512()[alg]})
	}
	return tiers
}
