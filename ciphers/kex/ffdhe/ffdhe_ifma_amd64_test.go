//go:build amd64 && !purego

package ffdhe

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

func TestIFMA(t *testing.T) {
	needIFMA(t)
	t.Run("ffdhe2048", func(t *testing.T) { cipherstest.TestExchanger(t, ciphers.FFDHE2048, FFDHE2048IFMA()) })
	t.Run("modp-14", func(t *testing.T) { cipherstest.TestExchanger(t, ciphers.MODP14, MODP14IFMA()) })
}

// TestTimeDoesNotDependOnTheExponent compares exponents of few bits with random ones.
func TestTimeDoesNotDependOnTheExponent(t *testing.T) {
	needIFMA(t)
	few := make([]byte, ciphers.FFDHE2048PrivateSize)
	few[0] = 1
	cipherstest.TestTiming(t, ciphers.FFDHE2048, FFDHE2048IFMA(), ciphers.OpDerive, few)
}
