package x25519

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestIteratedMillion is the iterated test of RFC 7748 section 5.2 to its end, on
// the fastest implementation that is our own. A minute on a busy machine.
func TestIteratedMillion(t *testing.T) {
	if testing.Short() {
		t.Skip("a million iterations: not with -short; the conformance kit does a thousand")
	}
	impl, ours := implementations()["ifma"]
	if !ours {
		t.Skip("only the kernel is worth a minute; the libraries do a thousand")
	}
	cipherstest.TestIterated(t, ciphers.X25519, impl, 1_000_000)
}
