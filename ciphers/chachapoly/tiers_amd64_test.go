//go:build !purego

package chachapoly

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// tiers are those of users and one that gives the kernels all packets that they can take.
func tiers() []tiertest.Tier {
	return []tiertest.Tier{
		{Name: "std", Alg: ciphers.ChaCha20Poly1305, Impl: Std()},
		{Name: "ifma", Alg: ciphers.ChaCha20Poly1305, Impl: IFMA(), Needs: RequiresIFMA},
		{Name: "ifma-kernels", Alg: ciphers.ChaCha20Poly1305, Impl: ifma{Std(), -1}, Needs: RequiresIFMA},
	}
}

// TestRequirementsCoverTheInstructions reads what the generator found that each kernel
// needs.
func TestRequirementsCoverTheInstructions(t *testing.T) {
	bits := map[string]cpu.Set{
		"AVX": cpu.AVX, "AVX512F": cpu.AVX512F, "AVX512BW": cpu.AVX512BW, "AVX512DQ": cpu.AVX512DQ,
		"AVX512VL": cpu.AVX512VL, "AVX512IFMA": cpu.AVX512IFMA,
	}
	text, err := os.ReadFile("chachapoly_ifma_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^// Requires: (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(lines) == 0 {
		t.Error("no feature is named")
	}
	for _, line := range lines {
		for name := range strings.SplitSeq(line[1], ", ") {
			if bit, known := bits[name]; !known || !RequiresIFMA.Has(bit) {
				t.Errorf("%s is used", name)
			}
		}
	}
}

// FuzzIFMA holds the tier against golang.org/x/crypto. The fuzzer chooses how many packets and
// keys there are, their lengths, and text to seal.
func FuzzIFMA(f *testing.F) {
	cipherstest.NeedCPU(f, RequiresIFMA)
	f.Add(uint8(32), uint8(1), uint16(64), uint16(0), uint8(20), []byte("text"))
	f.Add(uint8(5), uint8(3), uint16(1450), uint16(77), uint8(50), []byte{0})
	f.Add(uint8(200), uint8(7), uint16(3), uint16(1), uint8(0), []byte{0xff})
	f.Fuzz(func(t *testing.T, count, keys uint8, n, step uint16, aad uint8, text []byte) {
		for _, tier := range tiers()[1:] {
			r := tiertest.Source(string(text[:min(len(text), 32)]))
			pairs := newKeyPairs(t, tier, int(keys)%9+1, r)
			var b tiertest.Scene
			for i := range int(count)%80 + 1 {
				plain := tiertest.Random(r, (int(n)+i*int(step))%5000)
				copy(plain, text)
				p := b.AddText(pairs[i%len(pairs)], plain, tiertest.Random(r, (int(aad)+i*int(step))%80), r)
				if i&int(step)&1 == 1 {
					tiertest.InBuffer(p, len(p.Prefix)/(1+i&2))
				}
			}
			b.Run(t, tier.Impl)
		}
	})
}
