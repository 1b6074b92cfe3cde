// Package peertest is what tests that run against other implementations share.
package peertest

import (
	"os"
	"os/exec"
	"testing"
)

// required, set to 1, is how a build server asks for every peer: it must not pass
// because something was not installed.
const required = "SEALBURST_REQUIRE_PEERS"

// Program finds a program. Without it the test ends as Missing says.
func Program(t testing.TB, program string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, program+" is not installed")
	}
	return path
}

// Missing skips the test for that reason, or fails it where all peers are required.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(required) == "1" {
		t.Fatalf("%s, and %s is 1", why, required)
	}
	t.Skip(why)
}
