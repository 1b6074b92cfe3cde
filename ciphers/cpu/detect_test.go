package cpu

import (
	"slices"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// reports answers as package cpuid would on a processor with these bits.
func reports(ids ...cpuid.FeatureID) func(cpuid.FeatureID) bool {
	return func(id cpuid.FeatureID) bool { return slices.Contains(ids, id) }
}

func TestUsableWantsOperatingSystemState(t *testing.T) {
	base := []cpuid.FeatureID{cpuid.SSSE3, cpuid.SSE4, cpuid.AESNI, cpuid.CLMUL, cpuid.VAES, cpuid.VPCLMULQDQ, cpuid.GFNI}
	ymm := append(base[:len(base):len(base)], cpuid.AVX, cpuid.AVX2)
	narrow := SSSE3 | SSE41 | AESNI | PCLMULQDQ | GFNI
	for _, c := range []struct {
		name string
		ids  []cpuid.FeatureID
		want Set
	}{
		{"no state: VAES is the processor's word alone", base, narrow},
		{"YMM state", ymm, narrow | YMM | AVX | AVX2 | VAES | VPCLMULQDQ},
		{"AVX-512 groups without the foundation", append(ymm, cpuid.AVX512VL, cpuid.AVX512BW), narrow | YMM | AVX | AVX2 | VAES | VPCLMULQDQ},
		{"foundation without AVX", append(base, cpuid.AVX512F), narrow},
		{"VAES without AES-NI", []cpuid.FeatureID{cpuid.SSSE3, cpuid.SSE4, cpuid.AVX, cpuid.VAES}, SSSE3 | SSE41 | YMM | AVX},
	} {
		if got := usable(reports(c.ids...)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDetectIsClosed(t *testing.T) {
	s := Detect()
	t.Logf("this machine: %v", s)
	if s&^all != 0 {
		t.Errorf("undeclared bits %#x", uint64(s&^all))
	}
	if got := s.Without(all &^ s); got != s {
		t.Errorf("%v lacks prerequisites", s&^got)
	}
}

func TestDetectAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Detect() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
