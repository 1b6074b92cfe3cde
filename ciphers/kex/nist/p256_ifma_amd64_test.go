//go:build amd64 && !purego

package nist

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// needIFMA is for tests that run the kernel.
func needIFMA(t testing.TB) {
	t.Helper()
	cipherstest.NeedCPU(t, RequiresIFMA)
}

func TestP256IFMA(t *testing.T) {
	needIFMA(t)
	cipherstest.TestExchanger(t, ciphers.P256, P256IFMA())
}
