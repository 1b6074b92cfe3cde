package cpu

import (
	"math/bits"
	"slices"
	"testing"
)

// icelake is what a server processor with every x86 feature has.
const icelake = AVX512IFMA<<1 - 1

// haswell has AVX2 and no AVX-512, VAES, SHA or GFNI.
const haswell = SSSE3 | SSE41 | AESNI | PCLMULQDQ | BMI2 | YMM | AVX | AVX2

func TestEveryFeatureIsListedOnceAfterItsPrerequisites(t *testing.T) {
	var seen Set
	names := map[string]bool{}
	for _, f := range features {
		if bits.OnesCount64(uint64(f.bit)) != 1 || seen.Has(f.bit) {
			t.Errorf("%s: bit %#x is not one new bit", f.name, uint64(f.bit))
		}
		if !seen.Has(f.needs) {
			t.Errorf("%s: listed before its prerequisite %v", f.name, seen.Missing(f.needs))
		}
		if names[f.name] {
			t.Errorf("%s: name used twice", f.name)
		}
		seen |= f.bit
		names[f.name] = true
	}
	if seen != all {
		t.Errorf("listed %#x, declared %#x", uint64(seen), uint64(all))
	}
}

func TestHasWantsEveryFeature(t *testing.T) {
	s := AVX | AVX2
	for _, c := range []struct {
		need Set
		has  bool
	}{{0, true}, {AVX, true}, {AVX | AVX2, true}, {VAES, false}, {AVX | VAES, false}, {NEON, false}} {
		if s.Has(c.need) != c.has {
			t.Errorf("Has(%v) = %v", c.need, !c.has)
		}
	}
	if got := s.Missing(AVX | VAES | GFNI); got != VAES|GFNI {
		t.Errorf("Missing = %v", got)
	}
}

func TestStringHasOneOrder(t *testing.T) {
	want := "aesni,avx512f,armaes"
	if got := (ARMAES | AVX512F | AESNI).String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Set(0).String(); got != "none" {
		t.Errorf("empty set is %q", got)
	}
	if got := (SSE41 | ZMM).Names(); !slices.Equal(got, []string{"sse4.1", "zmm"}) {
		t.Errorf("Names = %v", got)
	}
}

func TestWithoutTakesDependents(t *testing.T) {
	avx512 := AVX512F | AVX512BW | AVX512DQ | AVX512VL | AVX512VBMI | AVX512IFMA
	wide := VAES | VPCLMULQDQ
	for _, c := range []struct{ drop, gone Set }{
		{0, 0},
		{ADX, ADX},
		{GFNI, GFNI},
		{AVX512VBMI, AVX512VBMI},
		{AVX512BW, AVX512BW | AVX512VBMI},
		{AVX512F, avx512},
		{ZMM, ZMM | avx512},
		{AVX2, AVX2 | avx512},
		{AVX, AVX | AVX2 | wide | avx512},
		{YMM, YMM | ZMM | AVX | AVX2 | wide | avx512},
		{SSSE3, SSSE3 | SSE41 | AVX | AVX2 | wide | avx512},
		{AESNI, AESNI | VAES},
		{PCLMULQDQ, PCLMULQDQ | VPCLMULQDQ},
		{AESNI | SHA, AESNI | VAES | SHA},
		{NEON, NEON | ARMAES | PMULL | SHA2 | SHA3},
		{ARMAES, ARMAES | PMULL},
		{SHA2, SHA2 | SHA3},
	} {
		if got := all.Without(c.drop); got != all&^c.gone {
			t.Errorf("without %v: lost %v, want %v", c.drop, all&^got, c.gone)
		}
	}
}

// An impossible set, which a test of a gate injects, keeps what it was given.
func TestWithoutLeavesTheRestAlone(t *testing.T) {
	if got := (VAES | ADX).Without(ADX); got != VAES {
		t.Errorf("got %v, want vaes", got)
	}
}
