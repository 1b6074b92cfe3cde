package cipherstest

import (
	"os"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

// EnvRequireCPU is the environment variable that makes a processor's missing
// features a failure. Set it to anything on a machine that must have them all, so
// that no tier goes untested there in silence.
const EnvRequireCPU = "SEALBURST_REQUIRE_CPU"

// NeedCPU skips a test when the processor or the operating system lacks features
// that it needs, and fails it when EnvRequireCPU is set.
func NeedCPU(t testing.TB, needs cpu.Set) {
	t.Helper()
	missing := cpu.Detect().Missing(needs)
	switch {
	case missing == 0:
	case os.Getenv(EnvRequireCPU) != "":
		t.Fatalf("the processor lacks %v, and %s is set", missing, EnvRequireCPU)
	default:
		t.Skipf("the processor lacks %v", missing)
	}
}
