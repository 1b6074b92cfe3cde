//go:build amd64 && !purego

package x25519

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// needIFMA is for tests that run the kernel.
func needIFMA(t testing.TB) {
	t.Helper()
	cipherstest.NeedCPU(t, RequiresIFMA)
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
