package ffdhe

import (
	"math/big"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestPrimesAreTheStandards computes each prime from the formula of its RFC, and
// sees that it and half of it are prime.
func TestPrimesAreTheStandards(t *testing.T) {
	for group, text := range map[ciphers.Algorithm]string{
		ciphers.FFDHE2048: ffdhe2048, ciphers.FFDHE3072: ffdhe3072, ciphers.FFDHE4096: ffdhe4096, ciphers.MODP14: modp14,
	} {
		p, ok := new(big.Int).SetString(text, 16)
		if !ok || p.Cmp(cipherstest.PrimeOf(group)) != 0 {
			t.Errorf("%v: not the RFC's prime", group)
			continue
		}
		if half := new(big.Int).Rsh(p, 1); !p.ProbablyPrime(1) || !half.ProbablyPrime(1) {
			t.Errorf("%v: not a safe prime", group)
		}
	}
}
