// Package nist has the implementations of ECDH over P-256, P-384 and P-521 (SP
// 800-56A section 5.7.1.2). Shares are uncompressed points (RFC 8446 section
// 4.2.8.2), which are checked to be on the curve; the secret is the X
// coordinate.
package nist

import (
	"crypto/ecdh"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex"
)

// P256 calls crypto/ecdh once an entry.
func P256() ciphers.Exchanger { return kex.Each(kex.ECDH(ecdh.P256())) }

// P384 calls crypto/ecdh once an entry.
func P384() ciphers.Exchanger { return kex.Each(kex.ECDH(ecdh.P384())) }

// P521 calls crypto/ecdh once an entry.
func P521() ciphers.Exchanger { return kex.Each(kex.ECDH(ecdh.P521())) }
