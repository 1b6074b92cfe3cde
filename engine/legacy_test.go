package engine

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// pairKey is a self-test's key of two parts.
func pairKey(t testing.TB, e *Engine, alg Algorithm, d ciphers.Direction) *Key {
	t.Helper()
	spec := KeySpec{Algorithm: alg, Key: counting(alg.KeySize(), 0)}
	pairSpec(&spec, d)
	return mustKey(t, e, spec)
}

// TestLegacyOnlyByLeave wants legacy algorithms refused by name without
// AllowLegacy, and served and marked with it.
func TestLegacyOnlyByLeave(t *testing.T) {
	strict, lenient := portable(t), mustNew(t, Config{Available: []*ciphers.Backend{std(t)}, IgnoreEnvironment: true, AllowLegacy: true})
	legacy := 0
	for _, alg := range pairAlgorithms() {
		spec := KeySpec{Algorithm: alg, Key: counting(alg.KeySize(), 0)}
		pairSpec(&spec, ciphers.Sealing)
		k, err := strict.NewKey(spec)
		refused := &LegacyError{}
		if alg.IsLegacy() != (errors.As(err, &refused) && errors.Is(err, ErrLegacy) && refused.Algorithm == alg) {
			t.Errorf("%v: %v", alg, err)
		}
		if alg.IsLegacy() {
			legacy++
		} else if err == nil {
			k.Close()
		}
		if strict.Supports(alg) == alg.IsLegacy() || !lenient.Supports(alg) {
			t.Errorf("%v: strict %v, lenient %v", alg, strict.Supports(alg), lenient.Supports(alg))
		}
		pairKey(t, lenient, alg, ciphers.Opening).Close()
	}
	if legacy != 4*5+2*7 {
		t.Errorf("%d legacy algorithms", legacy)
	}
	for _, a := range lenient.Report().Algorithms {
		alg, err := ciphers.ParseAlgorithm(a.Algorithm)
		if err != nil || a.Legacy != alg.IsLegacy() {
			t.Errorf("%+v: %v", a, err)
		}
	}
	const line = "best available, legacy\n"
	if n := strings.Count(lenient.Report().String(), line); n != legacy {
		t.Errorf("%d lines of the report are marked", n)
	}
	if strings.Contains(strict.Report().String(), line) {
		t.Error("a strict engine reports legacy algorithms")
	}
}

func TestPinOfLegacyNeedsLeave(t *testing.T) {
	c := Config{
		Available: []*ciphers.Backend{std(t)}, IgnoreEnvironment: true,
		Backends: map[Algorithm]string{ciphers.EncryptThenMAC(ciphers.DESCBC, ciphers.HMACMD5): "std"},
	}
	if _, err := New(c); !errors.Is(err, ErrLegacy) || !errors.Is(err, ErrPin) {
		t.Errorf("pinned without leave: %v", err)
	}
	c.AllowLegacy = true
	mustNew(t, c)
}

// TestPairsThroughTheEngine seals and opens under every pair, with AEADs in the
// same burst, and wants fresh IVs each time and forgeries refused.
func TestPairsThroughTheEngine(t *testing.T) {
	e := mustNew(t, Config{IgnoreEnvironment: true, AllowLegacy: true})
	other := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	for _, alg := range pairAlgorithms() {
		sealing, opening := pairKey(t, e, alg, ciphers.Sealing), pairKey(t, e, alg, ciphers.Opening)
		arena, ps := testBurst(sealing)
		gcm := sealable(other, 1)
		original := bytes.Clone(arena)
		if n := e.Seal(append(ps[:len(ps):len(ps)], gcm...)); n != len(ps)+1 {
			t.Fatalf("%v: sealed %d", alg, n)
		}
		first := bytes.Clone(ps[3].IV())
		for i := range ps {
			ps[i].Key = opening
			ps[i].Len += uint32(opening.TagSize())
		}
		ps[5].High++
		if n := e.Open(ps); n != len(ps)-1 || ps[5].Status != ciphers.StatusAuth {
			t.Fatalf("%v: opened %d", alg, n)
		}
		for i := range ps {
			at, size := i*testSlot+testHeader, testSize(alg, i)
			if i != 5 && !bytes.Equal(arena[at:at+size], original[at:at+size]) {
				t.Errorf("%v: packet %d is not what was sealed", alg, i)
			}
		}
		_, ps = testBurst(sealing)
		e.Seal(ps)
		if alg.IVForm() == ciphers.NonceDrawn && bytes.Equal(first, ps[3].IV()) {
			t.Errorf("%v: the same IV twice", alg)
		}
		sealing.Close()
		opening.Close()
	}
}
