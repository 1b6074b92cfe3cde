package cpu

import (
	"os"
	"strings"
	"testing"
)

// kernelFlags maps the flags of /proc/cpuinfo to features. The kernel clears
// the avx and avx512 flags where it does not keep the state that they need.
var kernelFlags = map[string]Set{
	"ssse3": SSSE3, "sse4_1": SSE41, "aes": AESNI, "pclmulqdq": PCLMULQDQ, "sha_ni": SHA, "gfni": GFNI,
	"bmi2": BMI2, "adx": ADX, "avx": YMM | AVX, "avx2": AVX2, "vaes": VAES, "vpclmulqdq": VPCLMULQDQ,
	"avx512f": ZMM | AVX512F, "avx512bw": AVX512BW, "avx512dq": AVX512DQ, "avx512vl": AVX512VL,
	"avx512vbmi": AVX512VBMI, "avx512ifma": AVX512IFMA,
}

func TestDetectAgreesWithTheKernel(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(info), "\nflags")
	if !ok {
		t.Fatal("/proc/cpuinfo has no flags")
	}
	line, _, _ := strings.Cut(rest, "\n")
	var want Set
	for _, flag := range strings.Fields(line) {
		want |= kernelFlags[flag]
	}
	if got := Detect(); got != want {
		t.Errorf("Detect alone has %v, the kernel alone has %v", got&^want, want&^got)
	}
}
