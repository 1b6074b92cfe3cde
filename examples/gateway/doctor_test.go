package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDoctorOfABadEnvironment tells of it and goes on.
func TestDoctorOfABadEnvironment(t *testing.T) {
	t.Setenv("SEALBURST_BACKEND", "nope")
	code, stdout, stderr := gateway(t, "doctor")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "missing environment: ") || !strings.Contains(stdout, "\"nope\"") || !strings.Contains(stdout, "backends: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestDoctor(t *testing.T) {
	code, stdout, stderr := gateway(t, "doctor")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "processor: ") || !strings.Contains(stdout, "backends: ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = gateway(t, "doctor", "-json")
	var findings []struct{ Subject, State, Text string }
	if err := json.Unmarshal([]byte(stdout), &findings); err != nil || code != 0 || len(findings) < 3 {
		t.Errorf("exit code %d, %v: %s", code, err, stdout)
	}
}
