// Package ffdhe has the implementation of Diffie-Hellman in the finite-field
// groups of RFC 7919 and in MODP group 14 of RFC 3526. Exponents are short
// (RFC 7919 section 5.2); shares y are refused unless 1 < y < p-1 (section 5.1),
// which in a group of a safe prime leaves no element of small order.
package ffdhe

import (
	"encoding/hex"
	"sync"

	"filippo.io/bigmod"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex"
)

// FFDHE2048 calls bigmod once an entry, with exponents of 225 bits.
func FFDHE2048() ciphers.Exchanger { return newGroup(ffdhe2048, bits2048) }

// FFDHE3072 calls bigmod once an entry, with exponents of 275 bits.
func FFDHE3072() ciphers.Exchanger { return newGroup(ffdhe3072, 275) }

// FFDHE4096 calls bigmod once an entry, with exponents of 325 bits.
func FFDHE4096() ciphers.Exchanger { return newGroup(ffdhe4096, 325) }

// MODP14 calls bigmod once an entry, with exponents of 225 bits, those of the
// group of RFC 7919 of the same size.
func MODP14() ciphers.Exchanger { return newGroup(modp14, bits2048) }

// bits2048 are those of an exponent for a prime of 2048 bits.
const bits2048 = 225

// group is a safe prime, made ready at the first use, and the bits of an exponent.
type group struct {
	modulus func() *bigmod.Modulus
	bits    int
}

func newGroup(prime string, bits int) ciphers.Exchanger {
	return kex.Each(&group{sync.OnceValue(func() *bigmod.Modulus { return modulus(prime) }), bits})
}

// modulus panics only for a prime that is no hexadecimal number, and those stand
// in this package.
func modulus(prime string) *bigmod.Modulus {
	b, err := hex.DecodeString(prime)
	if err != nil {
		panic(err)
	}
	m, err := bigmod.NewModulus(b)
	if err != nil {
		panic(err)
	}
	return m
}

func (g *group) Draw(private []byte) { draw(private, g.bits) }

func (g *group) Prepare(private []byte) (kex.Private, ciphers.Status) {
	if !exponent(private, g.bits) {
		return nil, ciphers.StatusPrivate
	}
	return key{g.modulus(), private}, ciphers.StatusOK
}

// exponent reports whether private is one of at most bits bits, and not so short
// that its upper half is zero.
func exponent(private []byte, bits int) bool {
	return private[0]>>((bits-1)%8+1) == 0 && !zero(private[:len(private)/2])
}

// draw makes an exponent of so many bits, the highest of them set.
func draw(private []byte, bits int) {
	kex.Random(private)
	top := byte(1) << ((bits - 1) % 8)
	private[0] = private[0]&(top-1) | top
}

// zero reports whether all bytes are, in constant time.
func zero(b []byte) bool {
	var or byte
	for _, v := range b {
		or |= v
	}
	return or == 0
}

type key struct {
	modulus  *bigmod.Modulus
	exponent []byte
}

func (k key) Public(public []byte) {
	g := bigmod.NewNat().SetUint(2).ExpandFor(k.modulus)
	copy(public, bigmod.NewNat().Exp(g, k.exponent, k.modulus).Bytes(k.modulus))
}

func (k key) Shared(secret, peer []byte) ciphers.Status {
	y, err := bigmod.NewNat().SetBytes(peer, k.modulus)
	if err != nil || y.IsZero() == 1 || y.IsOne() == 1 || y.IsMinusOne(k.modulus) == 1 {
		return ciphers.StatusShare
	}
	s := bigmod.NewNat().Exp(y, k.exponent, k.modulus).Bytes(k.modulus)
	copy(secret, s)
	clear(s)
	return ciphers.StatusOK
}
