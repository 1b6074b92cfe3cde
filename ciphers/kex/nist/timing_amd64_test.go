//go:build amd64 && !purego

package nist

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestTimeDoesNotDependOnTheKey compares the private key 1 with random ones.
func TestTimeDoesNotDependOnTheKey(t *testing.T) {
	needIFMA(t)
	one := make([]byte, ciphers.P256PrivateSize)
	one[len(one)-1] = 1
	cipherstest.TestTiming(t, ciphers.P256, P256IFMA(), ciphers.OpDerive, one)
}
