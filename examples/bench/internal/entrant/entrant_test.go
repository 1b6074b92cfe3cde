package entrant

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

func TestEveryBackendIsEnteredOrAbsent(t *testing.T) {
	all, absent, err := All(cpu.Detect())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range all {
		names[e.Name] = true
	}
	for _, a := range absent {
		if a.Reason == nil {
			t.Errorf("%s is absent without a reason", a.Name)
		}
		names[a.Name] = true
	}
	for _, b := range builtin.Backends() {
		if !names[b.Name] {
			t.Errorf("%s is neither entered nor absent", b.Name)
		}
	}
	if len(all) > 1 && all[0].Name != Auto {
		t.Errorf("the first is %s, want %s", all[0].Name, Auto)
	}
}

// TestEntrantServesWhatItHas looks at who serves what a pinned engine says to have.
func TestEntrantServesWhatItHas(t *testing.T) {
	all, _, err := All(cpu.Detect())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Name == Auto {
			continue
		}
		for _, a := range e.Engine.Report().Algorithms {
			alg, err := ciphers.ParseAlgorithm(a.Algorithm)
			if err != nil {
				t.Fatal(err)
			}
			if e.Has(alg) != (a.Backend == e.Name) {
				t.Errorf("%s has %v: %v, but %s serves", e.Name, alg, e.Has(alg), a.Backend)
			}
		}
	}
}

// A processor that offers nothing runs the portable backends alone.
func TestFeaturesTakenAwayTakeBackends(t *testing.T) {
	all, absent, err := All(0)
	if err != nil {
		t.Fatal(err)
	}
	gone := map[string]bool{}
	for _, a := range absent {
		gone[a.Name] = true
	}
	for _, b := range builtin.Backends() {
		if needy := !cpu.Set(0).Has(b.Requires); needy && !gone[b.Name] {
			t.Errorf("%s runs without what it needs", b.Name)
		}
	}
	for _, e := range all {
		if gone[e.Name] {
			t.Errorf("%s is both entered and absent", e.Name)
		}
	}
}
