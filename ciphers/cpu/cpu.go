// Package cpu says what this processor may run: the instruction set
// extensions that it has and that the operating system lets programs use.
//
// A [Set] is a plain value. [Detect] makes one from the machine, [Apply]
// takes features out of it as an operator asks, and a test writes down any
// other. Whoever chooses an implementation asks [Set.Has] with everything
// that the implementation needs, register state included:
//
//	if have.Has(cpu.VAES | cpu.VPCLMULQDQ | cpu.AVX512F | cpu.ZMM) { … }
package cpu

import "strings"

// Set is a set of features, one bit each. The zero value is the empty set: a
// processor that runs portable code only. Sets are joined with |. The
// expression a &^ b takes exactly b away, which can leave a set that no
// processor has, as tests of a gate want it; [Set.Without] also takes away
// what depends on b.
type Set uint64

// Features of amd64 and 386.
const (
	SSSE3      Set = 1 << iota // byte shuffles on 128-bit registers
	SSE41                      // SSE4.1
	AESNI                      // AES rounds and key expansion on 128-bit registers
	PCLMULQDQ                  // carry-less multiplication on 128-bit registers
	SHA                        // SHA-1 and SHA-256 rounds
	GFNI                       // affine maps over GF(2^8); the wide forms also need AVX or AVX512F
	BMI2                       // MULX and flagless shifts
	ADX                        // two carry chains
	YMM                        // operating-system state: XCR0 bits 1 and 2, SSE and AVX
	AVX                        // three-operand forms, 256-bit registers
	AVX2                       // integer operations on 256-bit registers
	VAES                       // AES rounds on 256-bit registers, with AVX512F on 512-bit ones
	VPCLMULQDQ                 // carry-less multiplication likewise
	ZMM                        // operating-system state: also XCR0 bits 5 to 7, opmask, ZMM_Hi256, Hi16_ZMM
	AVX512F                    // foundation
	AVX512BW                   // bytes and words
	AVX512DQ                   // doublewords and quadwords
	AVX512VL                   // the AVX-512 forms on 128- and 256-bit registers
	AVX512VBMI                 // byte permutation across a register
	AVX512IFMA                 // 52-bit multiply and add
)

// Features of arm64.
const (
	NEON   Set = 1 << (iota + 32) // Advanced SIMD
	ARMAES                        // FEAT_AES
	PMULL                         // FEAT_PMULL, 64-bit polynomial multiplication
	SHA2                          // FEAT_SHA256
	SHA3                          // FEAT_SHA3: EOR3, RAX1, XAR, BCAX
)

// Has reports whether every feature of need is in s. Every set has the empty
// need.
func (s Set) Has(need Set) bool { return need&^s == 0 }

// Missing returns what need asks for and s lacks.
func (s Set) Missing(need Set) Set { return need &^ s }

// Without returns s less the features of drop and less every feature that
// depends on one of them, directly or through others.
func (s Set) Without(drop Set) Set {
	for _, f := range features {
		if f.needs&drop != 0 {
			drop |= f.bit
		}
	}
	return s &^ drop
}

// Names returns the names of the features in s, as [Apply] reads them, in an
// order that never depends on how s was made.
func (s Set) Names() []string {
	var names []string
	for _, f := range features {
		if s&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// String returns the names joined by commas, or "none".
func (s Set) String() string {
	if s&all == 0 {
		return noneWord
	}
	return strings.Join(s.Names(), ",")
}
