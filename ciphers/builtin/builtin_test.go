package builtin

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestBackends runs the conformance kit over every backend that can run here
// and names the others.
func TestBackends(t *testing.T) {
	ran := 0
	for _, b := range Backends() {
		t.Run(b.Name, func(t *testing.T) {
			cipherstest.NeedCPU(t, b.Requires)
			if why := absent(b); why != nil {
				t.Skip(why)
			}
			ran++
			cipherstest.TestBackend(t, b)
		})
	}
	if ran == 0 {
		t.Error("no backend can run here")
	}
}

// absent says which library or device a backend lacks, or nil.
func absent(b *ciphers.Backend) error {
	if b.Probe == nil {
		return nil
	}
	return b.Probe()
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
