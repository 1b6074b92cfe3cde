// Package x448 has the implementation of X448 (RFC 7748 section 5). It refuses
// shares that give an all-zero secret (section 6.2).
package x448

import (
	circl "github.com/cloudflare/circl/dh/x448"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex"
)

// Circl calls circl once an entry. It is the portable implementation.
func Circl() ciphers.Exchanger { return kex.Each(group{}) }

type group struct{}

func (group) Draw(private []byte) { kex.Random(private) }

func (group) Prepare(private []byte) (kex.Private, ciphers.Status) {
	return (*key)(private), ciphers.StatusOK
}

// key is the private key as it is: the library has no other form.
type key circl.Key

func (k *key) Public(public []byte) { circl.KeyGen((*circl.Key)(public), (*circl.Key)(k)) }

func (k *key) Shared(secret, peer []byte) ciphers.Status {
	if !circl.Shared((*circl.Key)(secret), (*circl.Key)(k), (*circl.Key)(peer)) {
		return ciphers.StatusShare
	}
	return ciphers.StatusOK
}
