package x25519

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestTimeDoesNotDependOnTheKey compares keys of zero bits with random ones.
func TestTimeDoesNotDependOnTheKey(t *testing.T) {
	for name, impl := range implementations() {
		for _, op := range []ciphers.Operation{ciphers.OpDerive, ciphers.OpGenerate} {
			t.Run(name+"/"+op.String(), func(t *testing.T) {
				cipherstest.TestTiming(t, ciphers.X25519, impl, op, make([]byte, ciphers.X25519PrivateSize))
			})
		}
	}
}
