// Package x25519 has the implementations of X25519 (RFC 7748 section 5). All of
// them refuse shares that give an all-zero secret (section 6.1) and take the
// non-canonical ones that section 5 asks them to take.
package x25519

import (
	"crypto/ecdh"

	circl "github.com/cloudflare/circl/dh/x25519"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex"
)

// Std calls crypto/ecdh once an entry.
func Std() ciphers.Exchanger { return kex.Each(kex.ECDH(ecdh.X25519())) }

// Circl calls circl once an entry.
func Circl() ciphers.Exchanger { return kex.Each(circlGroup{}) }

type circlGroup struct{}

func (circlGroup) Draw(private []byte) { kex.Random(private) }

func (circlGroup) Prepare(private []byte) (kex.Private, ciphers.Status) {
	return (*circlKey)(private), ciphers.StatusOK
}

// circlKey is the private key as it is: the library has no other form.
type circlKey circl.Key

func (k *circlKey) Public(public []byte) { circl.KeyGen((*circl.Key)(public), (*circl.Key)(k)) }

func (k *circlKey) Shared(secret, peer []byte) ciphers.Status {
	if !circl.Shared((*circl.Key)(secret), (*circl.Key)(k), (*circl.Key)(peer)) {
		return ciphers.StatusShare
	}
	return ciphers.StatusOK
}
