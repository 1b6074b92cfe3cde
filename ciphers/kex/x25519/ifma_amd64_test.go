//go:build amd64 && !purego

package x25519

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// needIFMA skips a test where the processor cannot run the kernel.
func needIFMA(t testing.TB) {
	if missing := cpu.Detect().Missing(RequiresIFMA); missing != 0 {
		t.Skipf("the processor lacks %v", missing)
	}
}

func TestIFMA(t *testing.T) {
	needIFMA(t)
	cipherstest.TestExchanger(t, ciphers.X25519, IFMA())
}

func addIFMA(all map[string]ciphers.Exchanger) {
	if cpu.Detect().Has(RequiresIFMA) {
		all["ifma"] = IFMA()
	}
}
