package builtin

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// TestBackends runs the conformance kit over every backend that can run here
// and names the others.
func TestBackends(t *testing.T) {
	have := cpu.Detect()
	ran := 0
	for _, b := range Backends() {
		if why := cannotRun(b, have); why != "" {
			t.Logf("%s: not run: %s", b.Name, why)
			continue
		}
		ran++
		t.Run(b.Name, func(t *testing.T) { cipherstest.TestBackend(t, b) })
	}
	if ran == 0 {
		t.Error("no backend can run here")
	}
}

// cannotRun says why a backend cannot run on a processor with these features,
// or nothing.
func cannotRun(b *ciphers.Backend, have cpu.Set) string {
	if missing := have.Missing(b.Requires); missing != 0 {
		return "the processor or the operating system lacks " + missing.String()
	}
	if b.Probe == nil {
		return ""
	}
	if err := b.Probe(); err != nil {
		return err.Error()
	}
	return ""
}

func TestBackendNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range Backends() {
		if seen[b.Name] {
			t.Errorf("two backends are named %s", b.Name)
		}
		seen[b.Name] = true
	}
}

// TestStdServesEveryAlgorithm keeps the promise that some backend has every AEAD,
// every mask and every group, on every platform.
func TestStdServesEveryAlgorithm(t *testing.T) {
	b := std()
	for _, alg := range ciphers.Algorithms() {
		if b.AEADs[alg] == nil && b.Masks[alg] == nil && b.Exchanges[alg] == nil {
			t.Errorf("std does not serve %v", alg)
		}
	}
	if b.Requires != 0 {
		t.Errorf("std requires %v", b.Requires)
	}
}
