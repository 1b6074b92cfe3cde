package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// serving is the backend that seals a packet of that algorithm.
func serving(t *testing.T, e *Engine, alg Algorithm) string {
	t.Helper()
	for _, a := range e.Report().Algorithms {
		if a.Algorithm == alg.String() {
			return a.Backend
		}
	}
	return ""
}

func TestHighestPriorityServes(t *testing.T) {
	low, high := fake(t, "low", 1, ciphers.AES128GCM), fake(t, "high", 2, ciphers.AES128GCM)
	e := only(t, low, high)
	seen(low, ciphers.AES128GCM)
	seen(high, ciphers.AES128GCM)
	if n := e.Seal(sealable(mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), 3)); n != 3 {
		t.Fatalf("sealed %d of 3", n)
	}
	if n := len(seen(high, ciphers.AES128GCM)); n != 1 {
		t.Errorf("high was called %d times, want 1", n)
	}
	if n := len(seen(low, ciphers.AES128GCM)); n != 0 {
		t.Errorf("low was called %d times, want 0", n)
	}
	if got := serving(t, e, ciphers.AES128GCM); got != "high" {
		t.Errorf("the report says %s", got)
	}
}

func TestEqualPrioritiesKeepTheirOrder(t *testing.T) {
	e := only(t, fake(t, "one", 1, ciphers.AES128GCM), fake(t, "two", 1, ciphers.AES128GCM))
	if got := serving(t, e, ciphers.AES128GCM); got != "one" {
		t.Errorf("%s serves, want one", got)
	}
}

// TestPriorityForOneAlgorithm has the better backend behind the other one for CCM
// alone, lone packets included.
func TestPriorityForOneAlgorithm(t *testing.T) {
	better, other := fake(t, "better", 2, ciphers.AES128GCM, ciphers.AES128CCM), fake(t, "other", 1, ciphers.AES128GCM, ciphers.AES128CCM)
	better.Priorities = map[Algorithm]int{ciphers.AES128CCM: 0}
	other.Lone = map[Algorithm]int{ciphers.AES128CCM: 3}
	e := only(t, better, other)
	if got := serving(t, e, ciphers.AES128GCM); got != "better" {
		t.Errorf("GCM is served by %s, want better", got)
	}
	if got := serving(t, e, ciphers.AES128CCM); got != "other" {
		t.Errorf("CCM is served by %s, want other", got)
	}
	if got := e.choices[ciphers.AES128CCM].lone; got != "better" {
		t.Errorf("lone packets of CCM are served by %s, want better", got)
	}
}

func TestLowerBackendFillsWhatABetterOneLacks(t *testing.T) {
	e := only(t, fake(t, "gcm", 2, ciphers.AES128GCM), fake(t, "both", 1, ciphers.AES128GCM, ciphers.AES128CCM))
	if got := serving(t, e, ciphers.AES128CCM); got != "both" {
		t.Errorf("CCM is served by %q, want both", got)
	}
	if got := serving(t, e, ciphers.AES128GCM); got != "gcm" {
		t.Errorf("GCM is served by %q, want gcm", got)
	}
}

func TestOnlyGCMAskedForCCMIsATypedError(t *testing.T) {
	e := only(t, fake(t, "gcm", 1, ciphers.AES128GCM))
	for _, alg := range []Algorithm{ciphers.AES128CCM, ciphers.MaskAES128} {
		if e.Supports(alg) {
			t.Errorf("%v is said to be supported", alg)
		}
		_, err := e.NewKey(specOf(alg, ciphers.Sealing))
		var none *NoBackendError
		if !errors.Is(err, ErrNoBackend) || !errors.As(err, &none) || none.Algorithm != alg {
			t.Errorf("%v: error %v", alg, err)
		}
	}
	if _, err := e.AEAD(ciphers.AES128CCM, make([]byte, 16)); !errors.Is(err, ErrNoBackend) {
		t.Errorf("AEAD: error %v", err)
	}
}

func TestProcessorDecides(t *testing.T) {
	const needs = cpu.AESNI | cpu.VAES | cpu.AVX512F | cpu.ZMM
	fast, plain := fake(t, "fast", 2, ciphers.AES128GCM), fake(t, "plain", 1, ciphers.AES128GCM)
	fast.Requires = needs
	for _, c := range []struct {
		name    string
		cpu     cpu.Set
		serves  string
		missing string
	}{
		{"everything", needs | cpu.AVX2, "fast", ""},
		{"nothing", 0, "plain", "the processor lacks aesni,vaes,zmm,avx512f"},
		{"VAES without AES-NI", needs &^ cpu.AESNI, "plain", "the processor lacks aesni"},
		{"AVX-512 without the system's state", needs &^ cpu.ZMM, "plain", "the processor lacks zmm"},
	} {
		e := mustNewOn(t, c.cpu, Config{Available: []*ciphers.Backend{plain, fast}, IgnoreEnvironment: true})
		if got := serving(t, e, ciphers.AES128GCM); got != c.serves {
			t.Errorf("%s: %s serves, want %s", c.name, got, c.serves)
		}
		if got := refusedFor(e, ciphers.AES128GCM, "fast"); got != c.missing {
			t.Errorf("%s: refused because %q, want %q", c.name, got, c.missing)
		}
	}
}

// TestRefusalSaysWhoTookFeaturesAway has features that the processor lacks, that the
// program leaves out and that the operator takes away with what depends on them.
func TestRefusalSaysWhoTookFeaturesAway(t *testing.T) {
	const processor = cpu.SSSE3 | cpu.AESNI | cpu.YMM | cpu.ZMM | cpu.AVX512F | cpu.AVX512BW
	fast, plain := fake(t, "fast", 2, ciphers.AES128GCM), fake(t, "plain", 1, ciphers.AES128GCM)
	fast.Requires = processor | cpu.GFNI
	may := ^cpu.AESNI
	t.Setenv(EnvCPU, "-avx512f")
	e := mustNewOn(t, processor, Config{Available: []*ciphers.Backend{plain, fast}, CPU: &may})
	want := "the processor lacks gfni, Config.CPU leaves out aesni, SEALBURST_CPU takes away avx512f,avx512bw"
	if got := refusedFor(e, ciphers.AES128GCM, "fast"); got != want {
		t.Errorf("refused because %q, want %q", got, want)
	}
}

// TestProgramAddsNoFeature asks for features that no processor has all of.
func TestProgramAddsNoFeature(t *testing.T) {
	fast, plain := fake(t, "fast", 2, ciphers.AES128GCM), fake(t, "plain", 1, ciphers.AES128GCM)
	fast.Requires = cpu.AVX512F | cpu.SHA3
	everything := ^cpu.Set(0)
	e := mustNew(t, Config{Available: []*ciphers.Backend{plain, fast}, CPU: &everything, IgnoreEnvironment: true})
	if got := serving(t, e, ciphers.AES128GCM); got != "plain" {
		t.Errorf("%s serves, want plain", got)
	}
	if got, want := e.Report().CPU, cpu.Detect().Names(); !slices.Equal(got, want) {
		t.Errorf("the report says %v, the processor has %v", got, want)
	}
}

// refusedFor is the reason that the report gives.
func refusedFor(e *Engine, alg Algorithm, backend string) string {
	for _, a := range e.Report().Algorithms {
		for _, r := range a.Refused {
			if a.Algorithm == alg.String() && r.Backend == backend {
				return r.Reason
			}
		}
	}
	return ""
}

func TestEnvironmentTakesFeaturesAway(t *testing.T) {
	have := cpu.AESNI | cpu.AVX512F | cpu.ZMM
	fast, plain := fake(t, "fast", 2, ciphers.AES128GCM), fake(t, "plain", 1, ciphers.AES128GCM)
	fast.Requires = cpu.AVX512F
	config := Config{Available: []*ciphers.Backend{fast, plain}}
	t.Setenv(EnvCPU, "-avx512f")
	if got := serving(t, mustNewOn(t, have, config), ciphers.AES128GCM); got != "plain" {
		t.Errorf("%s serves, want plain", got)
	}
	config.IgnoreEnvironment = true
	if got := serving(t, mustNewOn(t, have, config), ciphers.AES128GCM); got != "fast" {
		t.Errorf("%s serves when the environment is not read, want fast", got)
	}
	config.IgnoreEnvironment = false
	t.Setenv(EnvCPU, "-avx9")
	var unknown *cpu.UnknownFeatureError
	if _, err := New(config); !errors.As(err, &unknown) || !strings.Contains(err.Error(), EnvCPU) {
		t.Errorf("error %v", err)
	}
}

func TestBackendThatCannotRunIsPassedOver(t *testing.T) {
	absent, plain := fake(t, "absent", 2, ciphers.AES128GCM), fake(t, "plain", 1, ciphers.AES128GCM)
	absent.Probe = func() error { return errors.New("no such library") }
	e := only(t, absent, plain)
	if got := serving(t, e, ciphers.AES128GCM); got != "plain" {
		t.Errorf("%s serves, want plain", got)
	}
	if got := refusedFor(e, ciphers.AES128GCM, "absent"); got != "no such library" {
		t.Errorf("refused because %q", got)
	}
}

func TestNewFailsWhenNoBackendIsLeft(t *testing.T) {
	reason := errors.New("no such library")
	absent, wrong := fake(t, "absent", 2, ciphers.AES128GCM), fake(t, "wrong", 1, ciphers.AES128GCM)
	absent.Probe = func() error { return reason }
	wrong.AEADs[ciphers.AES128GCM] = &broken{AEAD: wrong.AEADs[ciphers.AES128GCM], seal: flipFirst}
	_, err := New(Config{Available: []*ciphers.Backend{absent, wrong}, IgnoreEnvironment: true})
	if want := "engine: no backend serves the algorithm aes-128-gcm; absent: no such library; wrong: engine: self-test: wrong known answer"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	for _, want := range []error{ErrNoBackend, reason, ErrKnownAnswer} {
		if !errors.Is(err, want) {
			t.Errorf("error %v is no %v", err, want)
		}
	}
}

func TestAvailableIsChecked(t *testing.T) {
	twice := []*ciphers.Backend{{Name: "one"}, {Name: "other"}, {Name: "one"}}
	for _, available := range [][]*ciphers.Backend{{}, {nil}, twice} {
		_, err := New(Config{IgnoreEnvironment: true, Available: available})
		var field *ciphers.FieldError
		if !errors.As(err, &field) || field.Field != "Available" {
			t.Errorf("%v: %v", available, err)
		}
	}
}

// TestBackendsAreChecked has backends that would be taken in silence, or for pinned.
func TestBackendsAreChecked(t *testing.T) {
	nameless, empty := fake(t, "", 0, ciphers.AES128GCM), fake(t, "empty", 0)
	empty.AEADs[ciphers.AES128GCM] = nil
	for _, c := range []struct {
		backend *ciphers.Backend
		alg     Algorithm
	}{{nameless, 0}, {empty, ciphers.AES128GCM}} {
		var wrong *ciphers.BackendError
		_, err := New(Config{Available: []*ciphers.Backend{fake(t, "good", 9, ciphers.AES128GCM), c.backend}, IgnoreEnvironment: true})
		if !errors.As(err, &wrong) || wrong.Backend != c.backend.Name || wrong.Algorithm != c.alg {
			t.Errorf("backend %q: %v", c.backend.Name, err)
		}
	}
}
