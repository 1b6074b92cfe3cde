package cipherstest

import (
	"crypto/mlkem"
	"crypto/mlkem/mlkemtest"
	"slices"
	"testing"

	"github.com/cloudflare/circl/kem/mlkem/mlkem1024"
	"github.com/sealburst/sealburst/ciphers"
)

// kexOracle does key exchanges slowly and apart from any implementation.
type kexOracle interface {
	public(private []byte) []byte
	encapsulate(public, seed []byte) (ciphertext, secret []byte)
	decapsulate(private, ciphertext []byte) (secret []byte)
}

// dhOracle makes the three of a Diffie-Hellman group; base is the generator's share.
type dhOracle struct {
	base   []byte
	shared func(private, peer []byte) []byte
	share  func(private []byte) []byte // where a share is more than a secret
}

func (o dhOracle) public(private []byte) []byte {
	if o.share != nil {
		return o.share(private)
	}
	return o.shared(private, o.base)
}

func (o dhOracle) encapsulate(public, seed []byte) ([]byte, []byte) {
	return o.public(seed), o.shared(seed, public)
}

func (o dhOracle) decapsulate(private, ciphertext []byte) []byte {
	return o.shared(private, ciphertext)
}

// oracleOf finds the group's: arithmetic of math/big from the standard's text
// for Diffie-Hellman, crypto/mlkem for ML-KEM.
func oracleOf(t testing.TB, group ciphers.Algorithm) kexOracle {
	t.Helper()
	switch group {
	case ciphers.X25519, ciphers.X448:
		return montgomeryOracle(group)
	case ciphers.P256, ciphers.P384, ciphers.P521:
		return weierstrassOracle(group)
	case ciphers.FFDHE2048, ciphers.FFDHE3072, ciphers.FFDHE4096, ciphers.MODP14:
		return fieldOracle(group)
	case ciphers.MLKEM768:
		return mlkem768Oracle{}
	case ciphers.MLKEM1024:
		return mlkem1024Oracle{}
	case ciphers.X25519MLKEM768:
		return hybridOracle{mlkem768Oracle{}, montgomeryOracle(ciphers.X25519), ciphers.MLKEM768}
	case ciphers.SecP256r1MLKEM768:
		return hybridOracle{weierstrassOracle(ciphers.P256), mlkem768Oracle{}, ciphers.P256}
	}
	t.Fatalf("no oracle for %v", group)
	return nil
}

// mlkem768Oracle is the standard library's.
type mlkem768Oracle struct{}

func (mlkem768Oracle) public(private []byte) []byte {
	return must(mlkem.NewDecapsulationKey768(private)).EncapsulationKey().Bytes()
}

func (mlkem768Oracle) encapsulate(public, seed []byte) ([]byte, []byte) {
	secret, ciphertext, err := mlkemtest.Encapsulate768(must(mlkem.NewEncapsulationKey768(public)), seed)
	if err != nil {
		panic(err)
	}
	return ciphertext, secret
}

func (mlkem768Oracle) decapsulate(private, ciphertext []byte) []byte {
	return must(must(mlkem.NewDecapsulationKey768(private)).Decapsulate(ciphertext))
}

// mlkem1024Oracle is circl's.
type mlkem1024Oracle struct{}

func (mlkem1024Oracle) public(private []byte) []byte {
	pk, _ := mlkem1024.NewKeyFromSeed(private)
	return must(pk.MarshalBinary())
}

func (mlkem1024Oracle) encapsulate(public, seed []byte) ([]byte, []byte) {
	pk := must(mlkem1024.Scheme().UnmarshalBinaryPublicKey(public))
	ciphertext, secret, err := mlkem1024.Scheme().EncapsulateDeterministically(pk, seed)
	if err != nil {
		panic(err)
	}
	return ciphertext, secret
}

func (mlkem1024Oracle) decapsulate(private, ciphertext []byte) []byte {
	_, sk := mlkem1024.NewKeyFromSeed(private)
	return must(mlkem1024.Scheme().Decapsulate(sk, ciphertext))
}

// hybridOracle joins two; first is the group of the first half.
type hybridOracle struct {
	one, two kexOracle
	first    ciphers.Algorithm
}

func (o hybridOracle) public(private []byte) []byte {
	n := o.first.PrivateSize()
	return slices.Concat(o.one.public(private[:n]), o.two.public(private[n:]))
}

func (o hybridOracle) encapsulate(public, seed []byte) ([]byte, []byte) {
	c1, s1 := o.one.encapsulate(public[:o.first.PublicSize()], seed[:o.first.SeedSize()])
	c2, s2 := o.two.encapsulate(public[o.first.PublicSize():], seed[o.first.SeedSize():])
	return slices.Concat(c1, c2), slices.Concat(s1, s2)
}

func (o hybridOracle) decapsulate(private, ciphertext []byte) []byte {
	n, c := o.first.PrivateSize(), o.first.CiphertextSize()
	return slices.Concat(o.one.decapsulate(private[:n], ciphertext[:c]), o.two.decapsulate(private[n:], ciphertext[c:]))
}

// must is for a library call on input that the kit made itself.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
