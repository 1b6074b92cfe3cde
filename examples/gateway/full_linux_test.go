package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisc gives one line that names the capture which could not be written, and
// does not claim success before.
func TestFullDisc(t *testing.T) {
	const full = "/dev/full"
	dir := t.TempDir()
	out, keys := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "keys")
	if code, _, stderr := gateway(t, "protect", recorded, out, "-keylog", keys); code != 0 {
		t.Fatal(stderr)
	}
	for _, args := range [][]string{
		{"protect", recorded, full},
		{"unprotect", out, full, "-keylog", keys},
	} {
		code, stdout, stderr := gateway(t, args...)
		if code != 1 || stdout != "" || stderr != "gateway: write /dev/full: no space left on device\n" || strings.Contains(stderr, out) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
