package engine

import (
	"crypto/ecdh"
	"crypto/mlkem"
	"crypto/mlkem/mlkemtest"
	"crypto/sha256"
	"encoding/hex"
	"math/big"
	"slices"
	"testing"

	"github.com/cloudflare/circl/dh/x448"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// library is one group's key exchange by a library, none of our code between.
type library struct {
	public func(private []byte) []byte
	answer func(public, seed []byte) (ciphertext, secret []byte)
}

func exchangeLibrary(group Algorithm) library {
	switch group {
	case ciphers.X25519:
		return ecdhLibrary(ecdh.X25519())
	case ciphers.P256:
		return ecdhLibrary(ecdh.P256())
	case ciphers.P384:
		return ecdhLibrary(ecdh.P384())
	case ciphers.P521:
		return ecdhLibrary(ecdh.P521())
	case ciphers.X448:
		return diffieHellman(x448Public, x448Shared)
	case ciphers.MLKEM768:
		return library{mlkem768Public, mlkem768Answer}
	case ciphers.MLKEM1024:
		return library{mlkem1024Public, mlkem1024Answer}
	case ciphers.X25519MLKEM768:
		return joined(ciphers.MLKEM768, ciphers.X25519)
	case ciphers.SecP256r1MLKEM768:
		return joined(ciphers.P256, ciphers.MLKEM768)
	}
	return finiteField(group)
}

func diffieHellman(public func([]byte) []byte, shared func(private, peer []byte) []byte) library {
	return library{public, func(peer, seed []byte) ([]byte, []byte) { return public(seed), shared(seed, peer) }}
}

func ecdhLibrary(c ecdh.Curve) library {
	key := func(private []byte) *ecdh.PrivateKey { return sure(c.NewPrivateKey(private)) }
	return diffieHellman(
		func(private []byte) []byte { return key(private).PublicKey().Bytes() },
		func(private, peer []byte) []byte { return sure(key(private).ECDH(sure(c.NewPublicKey(peer)))) })
}

func x448Public(private []byte) []byte {
	var public x448.Key
	x448.KeyGen(&public, (*x448.Key)(private))
	return public[:]
}

func x448Shared(private, peer []byte) []byte {
	var secret x448.Key
	x448.Shared(&secret, (*x448.Key)(private), (*x448.Key)(peer))
	return secret[:]
}

func finiteField(group Algorithm) library {
	p := cipherstest.PrimeOf(group)
	power := func(private, base []byte) []byte {
		y := new(big.Int).SetBytes(base)
		return y.Exp(y, new(big.Int).SetBytes(private), p).FillBytes(make([]byte, group.PublicSize()))
	}
	return diffieHellman(func(private []byte) []byte { return power(private, []byte{2}) }, power)
}

func mlkem768Public(seed []byte) []byte {
	return sure(mlkem.NewDecapsulationKey768(seed)).EncapsulationKey().Bytes()
}

func mlkem768Answer(public, m []byte) ([]byte, []byte) {
	secret, ciphertext, err := mlkemtest.Encapsulate768(sure(mlkem.NewEncapsulationKey768(public)), m)
	return sure(ciphertext, err), secret
}

func mlkem1024Public(seed []byte) []byte {
	return sure(mlkem.NewDecapsulationKey1024(seed)).EncapsulationKey().Bytes()
}

func mlkem1024Answer(public, m []byte) ([]byte, []byte) {
	secret, ciphertext, err := mlkemtest.Encapsulate1024(sure(mlkem.NewEncapsulationKey1024(public)), m)
	return sure(ciphertext, err), secret
}

func joined(first, second Algorithm) library {
	one, two := exchangeLibrary(first), exchangeLibrary(second)
	return library{
		func(private []byte) []byte {
			return slices.Concat(one.public(private[:first.PrivateSize()]), two.public(private[first.PrivateSize():]))
		},
		func(public, seed []byte) ([]byte, []byte) {
			c1, s1 := one.answer(public[:first.PublicSize()], seed[:first.SeedSize()])
			c2, s2 := two.answer(public[first.PublicSize():], seed[first.SeedSize():])
			return slices.Concat(c1, c2), slices.Concat(s1, s2)
		},
	}
}

// sure is for a library call whose input is this test's own.
func sure[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestKnownExchangesAreTheLibraries(t *testing.T) {
	for _, group := range ciphers.Algorithms() {
		if !group.IsExchange() {
			continue
		}
		if got := libraryDigests(group); got != knownExchanges[group] {
			t.Errorf("ciphers.%v: %q", group, got)
		}
	}
}

func libraryDigests(group Algorithm) (known knownExchange) {
	l, h := exchangeLibrary(group), sha256.New()
	for i := range testLanes {
		public := l.public(testSeed(group.PrivateSize(), i))
		ciphertext, secret := l.answer(public, testSeed(group.SeedSize(), i))
		h.Write(slices.Concat(public, ciphertext, secret))
		if i == 0 {
			known.one = hex.EncodeToString(h.Sum(nil))
		}
	}
	known.eight = hex.EncodeToString(h.Sum(nil))
	return known
}
