//go:build amd64 && !purego

package hpmask

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

func tiers() []tier {
	return append(portableTiers(),
		tier{"aes128-vaes512", ciphers.MaskAES128, AES128VAES512(), RequiresVAES512},
		tier{"aes256-vaes512", ciphers.MaskAES256, AES256VAES512(), RequiresVAES512},
		tier{"aes128-vaes256", ciphers.MaskAES128, AES128VAES256(), RequiresVAES256},
		tier{"aes256-vaes256", ciphers.MaskAES256, AES256VAES256(), RequiresVAES256},
		tier{"chacha20-avx512", ciphers.MaskChaCha20, ChaCha20AVX512(), RequiresAVX512},
		tier{"chacha20-avx2", ciphers.MaskChaCha20, ChaCha20AVX2(), RequiresAVX2},
	)
}

func FuzzVAES512(f *testing.F) { fuzzTiers(f, RequiresVAES512) }

func FuzzVAES256(f *testing.F) { fuzzTiers(f, RequiresVAES256) }

func FuzzAVX512(f *testing.F) { fuzzTiers(f, RequiresAVX512) }

func FuzzAVX2(f *testing.F) { fuzzTiers(f, RequiresAVX2) }

// TestRequirementsCoverTheInstructions reads what the generator found that each
// file needs.
func TestRequirementsCoverTheInstructions(t *testing.T) {
	bits := map[string]cpu.Set{
		"AES": cpu.AESNI, "AVX": cpu.AVX, "AVX2": cpu.AVX2, "VAES": cpu.VAES, "AVX512F": cpu.AVX512F,
		"SSE2": 0, // every amd64 has it
	}
	for file, requires := range map[string]cpu.Set{
		"../internal/aeskey/aeskey": RequiresVAES512 & RequiresVAES256, "hpmask_vaes512": RequiresVAES512, "hpmask_vaes256": RequiresVAES256,
		"hpmask_avx512": RequiresAVX512, "hpmask_avx2": RequiresAVX2,
	} {
		text, err := os.ReadFile(file + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		lines := regexp.MustCompile(`(?m)^// Requires: (.*)$`).FindAllStringSubmatch(string(text), -1)
		if len(lines) == 0 {
			t.Errorf("%s names no feature", file)
		}
		for _, line := range lines {
			for name := range strings.SplitSeq(line[1], ", ") {
				if bit, known := bits[name]; !known || !requires.Has(bit) {
					t.Errorf("%s uses %s", file, name)
				}
			}
		}
	}
}
