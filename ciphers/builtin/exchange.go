package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex/ffdhe"
	"github.com/sealburst/sealburst/ciphers/kex/hybrid"
	"github.com/sealburst/sealburst/ciphers/kex/mlkem"
	"github.com/sealburst/sealburst/ciphers/kex/nist"
	"github.com/sealburst/sealburst/ciphers/kex/x25519"
	"github.com/sealburst/sealburst/ciphers/kex/x448"
)

// stdExchanges are the groups of the portable backend: the standard library
// where it has the group, else circl or bigmod.
func stdExchanges() map[ciphers.Algorithm]ciphers.Exchanger {
	return map[ciphers.Algorithm]ciphers.Exchanger{
		ciphers.X25519:            x25519.Std(),
		ciphers.X448:              x448.Circl(),
		ciphers.P256:              nist.P256(),
		ciphers.P384:              nist.P384(),
		ciphers.P521:              nist.P521(),
		ciphers.FFDHE2048:         ffdhe.FFDHE2048(),
		ciphers.FFDHE3072:         ffdhe.FFDHE3072(),
		ciphers.FFDHE4096:         ffdhe.FFDHE4096(),
		ciphers.MODP14:            ffdhe.MODP14(),
		ciphers.MLKEM768:          mlkem.Std768(),
		ciphers.MLKEM1024:         mlkem.Std1024(),
		ciphers.X25519MLKEM768:    hybrid.X25519MLKEM768(mlkem.Std768(), x25519.Std()),
		ciphers.SecP256r1MLKEM768: hybrid.SecP256r1MLKEM768(nist.P256(), mlkem.Std768()),
	}
}

// circl is the library of that name, for the groups that it shares with the
// standard library. On amd64 it is the faster of the two.
func circl() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "circl",
		Priority: circlPriority,
		Exchanges: map[ciphers.Algorithm]ciphers.Exchanger{
			ciphers.X25519:            x25519.Circl(),
			ciphers.MLKEM768:          mlkem.Circl768(),
			ciphers.MLKEM1024:         mlkem.Circl1024(),
			ciphers.X25519MLKEM768:    hybrid.X25519MLKEM768(mlkem.Circl768(), x25519.Circl()),
			ciphers.SecP256r1MLKEM768: hybrid.SecP256r1MLKEM768(nist.P256(), mlkem.Circl768()),
		},
	}
}
