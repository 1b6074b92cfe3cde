package cbchmac

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

const numHMACs = int(ciphers.HMACMD5)

// TestConformance runs the kit over every pair; with -short over one pair for each
// cipher part, with the HMAC parts in turn. Package builtin runs all of them.
func TestConformance(t *testing.T) {
	ran := 0
	for _, alg := range ciphers.Algorithms() {
		e, i := int(alg.Encryption()), int(alg.Integrity())
		if i == 0 || testing.Short() && e%numHMACs != i%numHMACs {
			continue
		}
		ran++
		t.Run(alg.String(), func(t *testing.T) { cipherstest.TestAEAD(t, alg, Std()) })
	}
	t.Logf("%d pairs", ran)
}
