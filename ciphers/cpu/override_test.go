package cpu

import (
	"errors"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		base Set
		spec string
		want Set
	}{
		{icelake, "", icelake},
		{icelake, "  ", icelake},
		{icelake, "all", icelake},
		{icelake, "none", 0},
		{icelake, "none,-avx2", 0},
		{icelake, "all,-adx", icelake &^ ADX},
		{icelake, "-vaes,-gfni", icelake &^ (VAES | GFNI)},
		{icelake, " -vaes , -gfni ", icelake &^ (VAES | GFNI)},
		{icelake, "-gfni,-vaes,-gfni", icelake &^ (VAES | GFNI)},
		{icelake, "-avx512f", icelake.Without(AVX512F)},
		{icelake, "-ymm", icelake.Without(YMM)},
		{icelake, "-sse4.1", icelake.Without(SSE41)},
		{haswell, "-avx512f,-neon", haswell},
		{0, "-avx2", 0},
		{0, "all", 0},
	} {
		got, err := Apply(c.base, c.spec)
		if err != nil || got != c.want {
			t.Errorf("Apply(%v, %q) = %v, %v; want %v", c.base, c.spec, got, err, c.want)
		}
	}
}

func TestApplyKnowsEveryName(t *testing.T) {
	for _, name := range all.Names() {
		left, err := Apply(all, "-"+name)
		if err != nil || strings.Contains(","+left.String()+",", ","+name+",") {
			t.Errorf("-%s leaves %v, %v", name, left, err)
		}
	}
}

func TestApplyRefusesUnknownNames(t *testing.T) {
	for spec, name := range map[string]string{
		"-avx1024": "avx1024", "-AVX2": "AVX2", "-all": "all", "-none": "none", "-vaes,-x": "x", "--avx": "-avx", "- avx": " avx",
		"+rdrand": "rdrand", "rdrand": "rdrand", "-avx;-avx2": "avx;-avx2",
	} {
		got, err := Apply(icelake, spec)
		var e *UnknownFeatureError
		if !errors.As(err, &e) || e.Name != name || got != 0 {
			t.Errorf("%q: %v, %v", spec, got, err)
			continue
		}
		if !strings.Contains(err.Error(), "avx512f,avx512bw") {
			t.Errorf("%q: %v does not list what is known", spec, err)
		}
	}
}

func TestApplyRefusesAdditions(t *testing.T) {
	for _, c := range []struct {
		spec, name, text string
		lacked           bool
	}{
		{"+avx512f", "avx512f", "lacks it", true},
		{"avx512f", "avx512f", "lacks it", true},
		{"-vaes,+neon", "neon", "lacks it", true},
		{"+avx2", "avx2", "in use unless", false},
		{"-avx2,+avx2", "avx2", "in use unless", false},
		{"avx2", "avx2", "in use unless", false},
	} {
		got, err := Apply(haswell, c.spec)
		var e *AddedFeatureError
		if !errors.As(err, &e) || e.Name != c.name || e.Lacked != c.lacked || got != 0 {
			t.Errorf("%q: %v, %v", c.spec, got, err)
			continue
		}
		if !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: %v", c.spec, err)
		}
	}
}

func TestApplyRefusesSyntax(t *testing.T) {
	for spec, item := range map[string]string{
		",": "", "-": "-", "+": "+", "- ": "-", "-avx,": "", ",-avx": "", "-avx,,-adx": "",
		"-avx,none": "none", "-avx,all": "all", "all,all": "all", "none,all": "all",
	} {
		got, err := Apply(icelake, spec)
		var e *SyntaxError
		if !errors.As(err, &e) || e.Item != item || got != 0 {
			t.Errorf("%q: %v, %v", spec, got, err)
		}
	}
}

func FuzzApply(f *testing.F) {
	for _, spec := range []string{"", "all", "none", "-avx512f", "-vaes,-gfni", "+avx2", "-x", "-,-", "none,-adx", "\x00", "-\xff"} {
		f.Add(uint64(icelake), spec)
	}
	f.Fuzz(func(t *testing.T, base uint64, spec string) {
		s := Set(base)
		closed := s.Without(^s)
		left, err := Apply(closed, spec)
		if left&^closed != 0 {
			t.Fatalf("%q added %v to %v", spec, left&^closed, closed)
		}
		if err != nil && left != 0 {
			t.Fatalf("%q: %v beside %v", spec, left, err)
		}
		if left.Without(^left) != left {
			t.Fatalf("%q left %v without prerequisites", spec, left)
		}
		checkErrorType(t, err)
	})
}

func checkErrorType(t *testing.T, err error) {
	var unknown *UnknownFeatureError
	var added *AddedFeatureError
	var syntax *SyntaxError
	if err != nil && !errors.As(err, &unknown) && !errors.As(err, &added) && !errors.As(err, &syntax) {
		t.Fatalf("untyped error %v", err)
	}
}
