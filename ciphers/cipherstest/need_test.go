package cipherstest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

const needVariable = "SEALBURST_TEST_NEED"

// TestNeeds asks for what no processor has. It runs in a process of its own, which
// TestMissingFeaturesSkipOrFail starts.
func TestNeeds(t *testing.T) {
	if os.Getenv(needVariable) != "" {
		NeedCPU(t, cpu.NEON|cpu.AVX512F)
		t.Error("a processor of two kinds")
	}
	NeedCPU(t, 0)
}

func TestMissingFeaturesSkipOrFail(t *testing.T) {
	for value, want := range map[string]string{"": "--- SKIP: TestNeeds ", "1": "--- FAIL: TestNeeds "} {
		child := exec.Command(os.Args[0], "-test.run=^TestNeeds$", "-test.v")
		child.Env = append(os.Environ(), needVariable+"=1", EnvRequireCPU+"="+value)
		out, _ := child.CombinedOutput()
		if len(out) == 0 {
			t.Skip("this test starts itself as a child process, which fails here")
		}
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "the processor lacks ") {
			t.Errorf("%s=%q: want %q, got\n%s", EnvRequireCPU, value, want, out)
		}
	}
}
