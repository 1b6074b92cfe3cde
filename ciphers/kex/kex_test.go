package kex_test

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/kex/ffdhe"
	"github.com/sealburst/sealburst/ciphers/kex/hybrid"
	"github.com/sealburst/sealburst/ciphers/kex/mlkem"
	"github.com/sealburst/sealburst/ciphers/kex/nist"
	"github.com/sealburst/sealburst/ciphers/kex/x25519"
	"github.com/sealburst/sealburst/ciphers/kex/x448"
)

// TestPortable runs the conformance kit over every implementation that calls a
// library.
func TestPortable(t *testing.T) {
	for _, i := range []struct {
		name  string
		group ciphers.Algorithm
		impl  ciphers.Exchanger
	}{
		{"x25519-std", ciphers.X25519, x25519.Std()},
		{"x25519-circl", ciphers.X25519, x25519.Circl()},
		{"x448-circl", ciphers.X448, x448.Circl()},
		{"p256", ciphers.P256, nist.P256()},
		{"p384", ciphers.P384, nist.P384()},
		{"p521", ciphers.P521, nist.P521()},
		{"ffdhe2048", ciphers.FFDHE2048, ffdhe.FFDHE2048()},
		{"ffdhe3072", ciphers.FFDHE3072, ffdhe.FFDHE3072()},
		{"ffdhe4096", ciphers.FFDHE4096, ffdhe.FFDHE4096()},
		{"modp14", ciphers.MODP14, ffdhe.MODP14()},
		{"mlkem768-std", ciphers.MLKEM768, mlkem.Std768()},
		{"mlkem768-circl", ciphers.MLKEM768, mlkem.Circl768()},
		{"mlkem1024-std", ciphers.MLKEM1024, mlkem.Std1024()},
		{"mlkem1024-circl", ciphers.MLKEM1024, mlkem.Circl1024()},
		{"x25519mlkem768", ciphers.X25519MLKEM768, hybrid.X25519MLKEM768(mlkem.Std768(), x25519.Std())},
		{"secp256r1mlkem768", ciphers.SecP256r1MLKEM768, hybrid.SecP256r1MLKEM768(nist.P256(), mlkem.Std768())},
	} {
		t.Run(i.name, func(t *testing.T) { cipherstest.TestExchanger(t, i.group, i.impl) })
	}
}
