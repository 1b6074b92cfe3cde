package cpu

import "github.com/klauspost/cpuid/v2"

// feature is what is known of one bit of a Set.
type feature struct {
	bit   Set
	name  string
	id    cpuid.FeatureID // the bit of package cpuid that proves it
	needs Set             // direct prerequisites
}

// features lists every feature, each after its prerequisites, so that one
// pass over the list follows dependencies of any depth. It is never written.
//
// YMM and ZMM are states of the operating system, which package cpuid does
// not give by themselves. It offers AVX only when OSXSAVE is set and XCR0 has
// bits 1 and 2, and AVX512F only when XCR0 has bits 1, 2 and 5 to 7 (on macOS,
// which switches that state on at first use, when the kernel's commpage
// promises it). So AVX proves YMM, and AVX512F proves ZMM. Its bits for VAES
// and VPCLMULQDQ are the processor's alone and say nothing of the state; they
// count here only together with AVX. BMI2 and ADX work on general registers
// and need no state.
//
// The prerequisites follow Intel's Software Developer's Manual, volume 1. Its
// sections on detection test AVX2 after AVX and the YMM state, AVX512F after
// the ZMM state, and the other AVX-512 groups after AVX512F; the section on
// enabling XSAVE features forbids the ZMM state without the YMM state. Four
// choices go beyond what the manual ties together:
//   - VAES needs AESNI, VPCLMULQDQ needs PCLMULQDQ. The wide forms extend the
//     narrow ones, AESKEYGENASSIST exists in AESNI alone, and an operator who
//     turns AES off means all of it.
//   - AVX needs SSE4.1 and that SSSE3, AVX512F needs AVX2: every processor
//     has them so, and compilers assume it.
//   - AVX512VBMI needs AVX512BW, as compilers have it.
//   - GFNI and SHA do not need AVX, since they have SSE forms. Who uses their
//     wider forms asks for AVX or AVX512F too.
//
// On arm64 all of them work on Advanced SIMD registers. The Architecture
// Reference Manual, ID_AA64ISAR0_EL1, codes PMULL as the value above AES in
// one field, and compilers put SHA3 above SHA2.
var features = [...]feature{
	{SSSE3, "ssse3", cpuid.SSSE3, 0},
	{SSE41, "sse4.1", cpuid.SSE4, SSSE3},
	{AESNI, "aesni", cpuid.AESNI, 0},
	{PCLMULQDQ, "pclmulqdq", cpuid.CLMUL, 0},
	{SHA, "sha", cpuid.SHA, 0},
	{GFNI, "gfni", cpuid.GFNI, 0},
	{BMI2, "bmi2", cpuid.BMI2, 0},
	{ADX, "adx", cpuid.ADX, 0},
	{YMM, "ymm", cpuid.AVX, 0},
	{AVX, "avx", cpuid.AVX, YMM | SSE41},
	{AVX2, "avx2", cpuid.AVX2, AVX},
	{VAES, "vaes", cpuid.VAES, AVX | AESNI},
	{VPCLMULQDQ, "vpclmulqdq", cpuid.VPCLMULQDQ, AVX | PCLMULQDQ},
	{ZMM, "zmm", cpuid.AVX512F, YMM},
	{AVX512F, "avx512f", cpuid.AVX512F, ZMM | AVX2},
	{AVX512BW, "avx512bw", cpuid.AVX512BW, AVX512F},
	{AVX512DQ, "avx512dq", cpuid.AVX512DQ, AVX512F},
	{AVX512VL, "avx512vl", cpuid.AVX512VL, AVX512F},
	{AVX512VBMI, "avx512vbmi", cpuid.AVX512VBMI, AVX512BW},
	{AVX512IFMA, "avx512ifma", cpuid.AVX512IFMA, AVX512F},

	{NEON, "neon", cpuid.ASIMD, 0},
	{ARMAES, "armaes", cpuid.AESARM, NEON},
	{PMULL, "pmull", cpuid.PMULL, ARMAES},
	{SHA2, "sha2", cpuid.SHA2, NEON},
	{SHA3, "sha3", cpuid.SHA3, SHA2},
}

// all holds every feature of every processor.
const all = AVX512IFMA<<1 - 1 | (SHA3<<1 - NEON)

// lookup finds the feature that an operator names.
func lookup(name string) (Set, bool) {
	for _, f := range features {
		if f.name == name {
			return f.bit, true
		}
	}
	return 0, false
}
