package aesccm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

func TestConformance(t *testing.T) {
	for _, alg := range []ciphers.Algorithm{ciphers.AES128CCM, ciphers.AES256CCM} {
		t.Run(alg.String(), func(t *testing.T) { cipherstest.TestAEAD(t, alg, Std()) })
	}
}
