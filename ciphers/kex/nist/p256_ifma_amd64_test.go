//go:build amd64 && !purego

package nist

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

func TestP256IFMA(t *testing.T) {
	needIFMA(t)
	cipherstest.TestExchanger(t, ciphers.P256, P256IFMA())
}
