package ciphers

// Sizes of the key-exchange groups in bytes.
const (
	X25519PrivateSize = 32
	X25519PublicSize  = 32
	X25519SecretSize  = 32

	X448PrivateSize = 56
	X448PublicSize  = 56
	X448SecretSize  = 56

	P256PrivateSize = 32
	P256PublicSize  = 65 // uncompressed: 4, X, Y
	P256SecretSize  = 32 // X alone

	P384PrivateSize = 48
	P384PublicSize  = 97
	P384SecretSize  = 48

	P521PrivateSize = 66
	P521PublicSize  = 133
	P521SecretSize  = 66

	// Exponents of finite-field groups are short, twice the security strength that
	// RFC 7919 appendix A gives the group: 225, 275 and 325 bits. Shares and
	// secrets have the size of the prime, leading zeros kept (RFC 8446 section 7.4.1).
	FFDHE2048PrivateSize = 29
	FFDHE2048PublicSize  = 256
	FFDHE2048SecretSize  = 256

	FFDHE3072PrivateSize = 35
	FFDHE3072PublicSize  = 384
	FFDHE3072SecretSize  = 384

	FFDHE4096PrivateSize = 41
	FFDHE4096PublicSize  = 512
	FFDHE4096SecretSize  = 512

	MODP14PrivateSize = 29
	MODP14PublicSize  = 256
	MODP14SecretSize  = 256

	MLKEM768PrivateSize    = 64 // d and z of FIPS 203 section 7.1
	MLKEM768PublicSize     = 1184
	MLKEM768CiphertextSize = 1088
	MLKEM768SecretSize     = 32
	MLKEM768SeedSize       = 32 // m of FIPS 203 section 7.2

	MLKEM1024PrivateSize    = 64
	MLKEM1024PublicSize     = 1568
	MLKEM1024CiphertextSize = 1568
	MLKEM1024SecretSize     = 32
	MLKEM1024SeedSize       = 32

	// Hybrids are their halves put together: ML-KEM's first in X25519MLKEM768,
	// the curve's first in SecP256r1MLKEM768; of the private key and the seeds too.
	X25519MLKEM768PrivateSize    = MLKEM768PrivateSize + X25519PrivateSize
	X25519MLKEM768PublicSize     = MLKEM768PublicSize + X25519PublicSize
	X25519MLKEM768CiphertextSize = MLKEM768CiphertextSize + X25519PublicSize
	X25519MLKEM768SecretSize     = MLKEM768SecretSize + X25519SecretSize
	X25519MLKEM768SeedSize       = MLKEM768SeedSize + X25519PrivateSize

	SecP256r1MLKEM768PrivateSize    = P256PrivateSize + MLKEM768PrivateSize
	SecP256r1MLKEM768PublicSize     = P256PublicSize + MLKEM768PublicSize
	SecP256r1MLKEM768CiphertextSize = P256PublicSize + MLKEM768CiphertextSize
	SecP256r1MLKEM768SecretSize     = P256SecretSize + MLKEM768SecretSize
	SecP256r1MLKEM768SeedSize       = P256PrivateSize + MLKEM768SeedSize
)

// exchangeSizes are one group's; a Diffie-Hellman group answers with a public
// share and seeds with a private key.
type exchangeSizes struct {
	private, public, ciphertext, secret, seed int
	dh                                        bool
}

func dhSizes(private, public, secret int) exchangeSizes {
	return exchangeSizes{private, public, public, secret, private, true}
}

var exchanges = [numAlgorithms]exchangeSizes{
	X25519:    dhSizes(X25519PrivateSize, X25519PublicSize, X25519SecretSize),
	X448:      dhSizes(X448PrivateSize, X448PublicSize, X448SecretSize),
	P256:      dhSizes(P256PrivateSize, P256PublicSize, P256SecretSize),
	P384:      dhSizes(P384PrivateSize, P384PublicSize, P384SecretSize),
	P521:      dhSizes(P521PrivateSize, P521PublicSize, P521SecretSize),
	FFDHE2048: dhSizes(FFDHE2048PrivateSize, FFDHE2048PublicSize, FFDHE2048SecretSize),
	FFDHE3072: dhSizes(FFDHE3072PrivateSize, FFDHE3072PublicSize, FFDHE3072SecretSize),
	FFDHE4096: dhSizes(FFDHE4096PrivateSize, FFDHE4096PublicSize, FFDHE4096SecretSize),
	MODP14:    dhSizes(MODP14PrivateSize, MODP14PublicSize, MODP14SecretSize),
	MLKEM768: {MLKEM768PrivateSize, MLKEM768PublicSize, MLKEM768CiphertextSize,
		MLKEM768SecretSize, MLKEM768SeedSize, false},
	MLKEM1024: {MLKEM1024PrivateSize, MLKEM1024PublicSize, MLKEM1024CiphertextSize,
		MLKEM1024SecretSize, MLKEM1024SeedSize, false},
	X25519MLKEM768: {X25519MLKEM768PrivateSize, X25519MLKEM768PublicSize, X25519MLKEM768CiphertextSize,
		X25519MLKEM768SecretSize, X25519MLKEM768SeedSize, false},
	SecP256r1MLKEM768: {SecP256r1MLKEM768PrivateSize, SecP256r1MLKEM768PublicSize, SecP256r1MLKEM768CiphertextSize,
		SecP256r1MLKEM768SecretSize, SecP256r1MLKEM768SeedSize, false},
}

// IsExchange reports whether a is a key-exchange group.
func (a Algorithm) IsExchange() bool { return a.sizes().private != 0 }

// IsDH reports whether a is a Diffie-Hellman group, which has OpDerive.
func (a Algorithm) IsDH() bool { return a.sizes().dh }

// PrivateSize is the length of a group's private key in bytes, and of the seed of OpGenerate.
func (a Algorithm) PrivateSize() int { return a.sizes().private }

// PublicSize is the length of a group's public share in bytes.
func (a Algorithm) PublicSize() int { return a.sizes().public }

// CiphertextSize is the length in bytes of a group's answer to a public share.
func (a Algorithm) CiphertextSize() int { return a.sizes().ciphertext }

// SecretSize is the length of a group's shared secret in bytes.
func (a Algorithm) SecretSize() int { return a.sizes().secret }

// SeedSize is the length of the seed of OpEncapsulate in bytes.
func (a Algorithm) SeedSize() int { return a.sizes().seed }

func (a Algorithm) sizes() *exchangeSizes {
	if !a.Valid() {
		return &exchanges[0]
	}
	return &exchanges[a]
}
