// Package mlkem has the implementations of ML-KEM-768 and ML-KEM-1024 (FIPS
// 203). They check encapsulation keys (section 7.2) and answer a ciphertext that
// is not authentic with a pseudorandom secret (section 6.3).
package mlkem

import (
	"crypto/subtle"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex"
)

// parameters is ML-KEM of one library with one parameter set.
type parameters interface {
	// newKey expands a seed of 64 bytes.
	newKey(seed []byte) (decapsulator, bool)
	// encapsulate is ML-KEM.Encaps, from m of 32 bytes unless that is nil. It
	// reports whether the encapsulation key passed its check.
	encapsulate(ciphertext, secret, key, m []byte) bool
}

type decapsulator interface {
	public(key []byte)
	decapsulate(secret, ciphertext []byte) bool
}

// each calls a library once an entry.
type each struct{ parameters }

// Exchange fulfils ciphers.Exchanger.
func (e each) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	return kex.ForEach(b, func(x *ciphers.Exchange) ciphers.Status {
		switch op {
		case ciphers.OpGenerate:
			return e.generate(x)
		case ciphers.OpEncapsulate:
			return verdict(e.encapsulate(x.Ciphertext, x.Secret, x.Public, x.Seed), ciphers.StatusShare)
		}
		return e.decapsulate(x)
	})
}

func verdict(ok bool, otherwise ciphers.Status) ciphers.Status {
	if ok {
		return ciphers.StatusOK
	}
	return otherwise
}

func (e each) generate(x *ciphers.Exchange) ciphers.Status {
	kex.SeedOrRandom(x.Private, x.Seed)
	k := e.prepare(x)
	if k == nil {
		return ciphers.StatusBackend
	}
	k.public(x.Public)
	return ciphers.StatusOK
}

func (e each) decapsulate(x *ciphers.Exchange) ciphers.Status {
	k := e.prepare(x)
	if k == nil {
		return ciphers.StatusBackend
	}
	return verdict(k.decapsulate(x.Secret, x.Ciphertext), ciphers.StatusBackend)
}

// prepared is an expanded key, which takes a library longer than what is done with it.
type prepared struct {
	parameters parameters
	seed       [ciphers.MLKEM768PrivateSize]byte
	key        decapsulator
}

// Clear fulfils ciphers.Prepared.
func (p *prepared) Clear() {
	clear(p.seed[:])
	p.key = nil
}

// prepare finds the expanded key of x.Private in x, or expands it.
func (e each) prepare(x *ciphers.Exchange) decapsulator {
	p, ok := x.Prepared.(*prepared)
	if ok && p.key != nil && p.parameters == e.parameters && subtle.ConstantTimeCompare(p.seed[:], x.Private) == 1 {
		return p.key
	}
	k, ok := e.newKey(x.Private)
	if !ok {
		return nil
	}
	x.Prepared = &prepared{e.parameters, [ciphers.MLKEM768PrivateSize]byte(x.Private), k}
	return k
}
