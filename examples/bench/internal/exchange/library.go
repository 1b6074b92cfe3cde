// Package exchange is the work of bench kex: batches of key exchanges through an
// engine, and the same one at a time through the libraries.
package exchange

import (
	"crypto/ecdh"
	"crypto/mlkem"
	"crypto/rand"
	"math/big"
	"slices"

	"github.com/cloudflare/circl/dh/x448"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/engine"
)

// Library is the baseline's name: the standard library, for X448 circl, for
// finite fields math/big. A key that it needs is parsed or expanded beforehand
// where its caller could keep it.
const Library = "std"

// library is one group by a library, one exchange a call.
type library interface {
	// key expands a private key for the calls below.
	key(private []byte) (libraryKey, error)
	generate() error
	encapsulate(public []byte) error
}

type libraryKey interface {
	public() []byte
	agree(share []byte) ([]byte, error) // derive or decapsulate
}

func libraryOf(group engine.Algorithm) library {
	switch group {
	case ciphers.X25519:
		return curve{ecdh.X25519()}
	case ciphers.P256:
		return curve{ecdh.P256()}
	case ciphers.P384:
		return curve{ecdh.P384()}
	case ciphers.P521:
		return curve{ecdh.P521()}
	case ciphers.X448:
		return goldilocks{}
	case ciphers.MLKEM768:
		return kem{}
	case ciphers.X25519MLKEM768:
		return both{}
	case ciphers.FFDHE2048:
		return field{cipherstest.PrimeOf(group), 225}
	}
	return nil
}

type curve struct{ ecdh.Curve }

type curveKey struct{ *ecdh.PrivateKey }

func (c curve) key(private []byte) (libraryKey, error) {
	k, err := c.NewPrivateKey(private)
	return curveKey{k}, err
}

func (c curve) generate() error {
	_, err := c.GenerateKey(rand.Reader)
	return err
}

func (c curve) encapsulate(public []byte) error {
	k, err := c.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	_, err = curveKey{k}.agree(public)
	return err
}

func (k curveKey) public() []byte { return k.PublicKey().Bytes() }

func (k curveKey) agree(share []byte) ([]byte, error) {
	peer, err := k.Curve().NewPublicKey(share)
	if err != nil {
		return nil, err
	}
	return k.ECDH(peer)
}

type goldilocks struct{}

type goldilocksKey x448.Key

func (goldilocks) key(private []byte) (libraryKey, error) { return (*goldilocksKey)(private), nil }

func (goldilocks) generate() error {
	var private, public x448.Key
	_, err := rand.Read(private[:])
	x448.KeyGen(&public, &private)
	return err
}

func (g goldilocks) encapsulate(public []byte) error {
	var private, own x448.Key
	if _, err := rand.Read(private[:]); err != nil {
		return err
	}
	x448.KeyGen(&own, &private)
	_, err := (*goldilocksKey)(&private).agree(public)
	return err
}

func (k *goldilocksKey) public() []byte {
	var public x448.Key
	x448.KeyGen(&public, (*x448.Key)(k))
	return public[:]
}

func (k *goldilocksKey) agree(share []byte) ([]byte, error) {
	var secret x448.Key
	if !x448.Shared(&secret, (*x448.Key)(k), (*x448.Key)(share)) {
		return nil, ciphers.ErrShare
	}
	return secret[:], nil
}

type kem struct{}

type kemKey struct{ *mlkem.DecapsulationKey768 }

func (kem) key(private []byte) (libraryKey, error) {
	k, err := mlkem.NewDecapsulationKey768(private)
	return kemKey{k}, err
}

func (kem) generate() error {
	_, err := mlkem.GenerateKey768()
	return err
}

func (kem) encapsulate(public []byte) error {
	k, err := mlkem.NewEncapsulationKey768(public)
	if err != nil {
		return err
	}
	k.Encapsulate()
	return nil
}

func (k kemKey) public() []byte { return k.EncapsulationKey().Bytes() }

func (k kemKey) agree(share []byte) ([]byte, error) { return k.Decapsulate(share) }

// both is X25519MLKEM768 of the standard library's halves.
type both struct{}

type bothKey struct{ kem, curve libraryKey }

func (both) key(private []byte) (libraryKey, error) {
	one, err := kem{}.key(private[:ciphers.MLKEM768PrivateSize])
	if err != nil {
		return nil, err
	}
	two, err := curve{ecdh.X25519()}.key(private[ciphers.MLKEM768PrivateSize:])
	return bothKey{one, two}, err
}

func (both) generate() error {
	if err := (kem{}).generate(); err != nil {
		return err
	}
	return curve{ecdh.X25519()}.generate()
}

func (both) encapsulate(public []byte) error {
	if err := (kem{}).encapsulate(public[:ciphers.MLKEM768PublicSize]); err != nil {
		return err
	}
	return curve{ecdh.X25519()}.encapsulate(public[ciphers.MLKEM768PublicSize:])
}

func (k bothKey) public() []byte { return slices.Concat(k.kem.public(), k.curve.public()) }

func (k bothKey) agree(share []byte) ([]byte, error) {
	one, err := k.kem.agree(share[:ciphers.MLKEM768CiphertextSize])
	if err != nil {
		return nil, err
	}
	two, err := k.curve.agree(share[ciphers.MLKEM768CiphertextSize:])
	return slices.Concat(one, two), err
}

// field is a finite-field group by math/big, with exponents of some bits.
type field struct {
	p    *big.Int
	bits int
}

type fieldKey struct{ p, exponent *big.Int }

func (f field) key(private []byte) (libraryKey, error) {
	return fieldKey{f.p, new(big.Int).SetBytes(private)}, nil
}

func (f field) draw() (fieldKey, error) {
	k, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), uint(f.bits-1)))
	if err != nil {
		return fieldKey{}, err
	}
	return fieldKey{f.p, k.SetBit(k, f.bits-1, 1)}, nil
}

func (f field) generate() error {
	k, err := f.draw()
	if err == nil {
		k.public()
	}
	return err
}

func (f field) encapsulate(public []byte) error {
	k, err := f.draw()
	if err != nil {
		return err
	}
	k.public()
	_, err = k.agree(public)
	return err
}

func (k fieldKey) public() []byte { return k.power(big.NewInt(2)) }

func (k fieldKey) agree(share []byte) ([]byte, error) {
	return k.power(new(big.Int).SetBytes(share)), nil
}

func (k fieldKey) power(base *big.Int) []byte {
	return base.Exp(base, k.exponent, k.p).FillBytes(make([]byte, (k.p.BitLen()+7)/8))
}
