//go:build amd64 && !purego

package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/chachapoly"
	"github.com/sealburst/sealburst/ciphers/kex/ffdhe"
	"github.com/sealburst/sealburst/ciphers/kex/hybrid"
	"github.com/sealburst/sealburst/ciphers/kex/mlkem"
	"github.com/sealburst/sealburst/ciphers/kex/nist"
	"github.com/sealburst/sealburst/ciphers/kex/x25519"
)

// ifma exchanges keys eight at a time on AVX-512: curves and powers on its 52-bit
// multiplier, ML-KEM with eight sponges. A batch of few costs it as much as eight,
// or nearly, which a library does sooner up to the number in Lone: eight of X25519
// take as long as one to two of circl's, eight of P-256 as two to three of the
// standard library's, eight powers as one to two of bigmod's. One of ML-KEM
// takes no longer than circl's. It has ChaCha20-Poly1305 too, whose hash runs on the same
// multiplier.
func ifma() *ciphers.Backend {
	return &ciphers.Backend{
		Name:     "ifma",
		Priority: 10,
		Requires: chachapoly.RequiresIFMA | x25519.RequiresIFMA | nist.RequiresIFMA | ffdhe.RequiresIFMA | mlkem.RequiresAVX512,
		AEADs:    map[ciphers.Algorithm]ciphers.AEAD{ciphers.ChaCha20Poly1305: chachapoly.IFMA()},
		Exchanges: map[ciphers.Algorithm]ciphers.Exchanger{
			ciphers.X25519:            x25519.IFMA(),
			ciphers.P256:              nist.P256IFMA(),
			ciphers.FFDHE2048:         ffdhe.FFDHE2048IFMA(),
			ciphers.MODP14:            ffdhe.MODP14IFMA(),
			ciphers.MLKEM768:          mlkem.AVX512x768(),
			ciphers.X25519MLKEM768:    hybrid.X25519MLKEM768(mlkem.AVX512x768(), x25519.IFMA()),
			ciphers.SecP256r1MLKEM768: hybrid.SecP256r1MLKEM768(nist.P256IFMA(), mlkem.AVX512x768()),
		},
		Lone: map[ciphers.Algorithm]int{
			ciphers.X25519: 1, ciphers.P256: 2, ciphers.FFDHE2048: 1, ciphers.MODP14: 1,
			ciphers.X25519MLKEM768: 1, ciphers.SecP256r1MLKEM768: 2,
		},
	}
}
