package cpu

import (
	"testing"

	xcpu "golang.org/x/sys/cpu"
)

// Package x/sys/cpu reads the auxiliary vector by itself.
func TestDetectAgreesWithSysCPU(t *testing.T) {
	var want Set
	for f, has := range map[Set]bool{
		NEON: xcpu.ARM64.HasASIMD, ARMAES: xcpu.ARM64.HasAES, PMULL: xcpu.ARM64.HasPMULL,
		SHA2: xcpu.ARM64.HasSHA2, SHA3: xcpu.ARM64.HasSHA3,
	} {
		if has {
			want |= f
		}
	}
	if got := Detect(); got != want || want == 0 {
		t.Errorf("Detect has %v, x/sys/cpu has %v", got, want)
	}
}
