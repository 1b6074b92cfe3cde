package ciphers

import (
	"errors"
	"fmt"
	"slices"
)

// ErrUnknownAlgorithm says that a name or a number is no algorithm of this package.
var ErrUnknownAlgorithm = errors.New("ciphers: unknown algorithm")

// Algorithm names what protects a packet, makes a header-protection mask or
// exchanges keys. The zero value is invalid.
type Algorithm uint8

// The AEADs, and the masks of RFC 9001 section 5.4 and RFC 9147 section 4.2.3.
const (
	AES128GCM         Algorithm = iota + 1 // SP 800-38D, RFC 5288, RFC 4106, RFC 9001
	AES192GCM                              // SP 800-38D, RFC 4106
	AES256GCM                              // SP 800-38D, RFC 5288, RFC 4106, RFC 9001
	AES128CCM                              // SP 800-38C, RFC 6655, RFC 4309, RFC 9001
	AES256CCM                              // SP 800-38C, RFC 6655, RFC 4309
	ChaCha20Poly1305                       // RFC 8439, RFC 7905, RFC 7634, RFC 9001
	MaskAES128                             // RFC 9001 section 5.4.3
	MaskAES256                             // RFC 9001 section 5.4.3
	MaskChaCha20                           // RFC 9001 section 5.4.4
	X25519                                 // RFC 7748; the key-exchange groups start here
	X448                                   // RFC 7748
	P256                                   // SP 800-186, RFC 8446 section 4.2.8.2
	P384                                   // SP 800-186, RFC 8446 section 4.2.8.2
	P521                                   // SP 800-186, RFC 8446 section 4.2.8.2
	FFDHE2048                              // RFC 7919
	FFDHE3072                              // RFC 7919
	FFDHE4096                              // RFC 7919
	MODP14                                 // RFC 3526 section 3
	MLKEM768                               // FIPS 203
	MLKEM1024                              // FIPS 203
	X25519MLKEM768                         // draft-ietf-tls-ecdhe-mlkem
	SecP256r1MLKEM768                      // draft-ietf-tls-ecdhe-mlkem
	firstPair                              // from here on what EncryptThenMAC makes
)

const numAlgorithms = firstPair + numPairs

// NumAlgorithms bounds the algorithms: every valid one is below it, so that a
// table can be an array.
const NumAlgorithms = int(numAlgorithms)

type traits struct {
	name    string
	keySize int
	tags    []int // sizes allowed, the full one first; none for a mask
	nonces  []int // sizes allowed
}

var algorithms = withPairs([numAlgorithms]traits{
	AES128GCM:        {"aes-128-gcm", 16, []int{16, 12, 8}, []int{12}},
	AES192GCM:        {"aes-192-gcm", 24, []int{16, 12, 8}, []int{12}},
	AES256GCM:        {"aes-256-gcm", 32, []int{16, 12, 8}, []int{12}},
	AES128CCM:        {"aes-128-ccm", 16, []int{16, 12, 8}, []int{11, 12, 13}},
	AES256CCM:        {"aes-256-ccm", 32, []int{16, 12, 8}, []int{11, 12, 13}},
	ChaCha20Poly1305: {"chacha20-poly1305", 32, []int{16}, []int{12}},
	MaskAES128:       {name: "mask-aes-128", keySize: 16},
	MaskAES256:       {name: "mask-aes-256", keySize: 32},
	MaskChaCha20:     {name: "mask-chacha20", keySize: 32},

	X25519:            {name: "x25519"},
	X448:              {name: "x448"},
	P256:              {name: "p-256"},
	P384:              {name: "p-384"},
	P521:              {name: "p-521"},
	FFDHE2048:         {name: "ffdhe2048"},
	FFDHE3072:         {name: "ffdhe3072"},
	FFDHE4096:         {name: "ffdhe4096"},
	MODP14:            {name: "modp-14"},
	MLKEM768:          {name: "ml-kem-768"},
	MLKEM1024:         {name: "ml-kem-1024"},
	X25519MLKEM768:    {name: "x25519mlkem768"},
	SecP256r1MLKEM768: {name: "secp256r1mlkem768"},
})

// Algorithms lists every algorithm in a fixed order.
func Algorithms() []Algorithm {
	all := make([]Algorithm, 0, numAlgorithms-1)
	for a := Algorithm(1); a < numAlgorithms; a++ {
		all = append(all, a)
	}
	return all
}

// ParseAlgorithm finds an algorithm by the name that String gives it.
func ParseAlgorithm(name string) (Algorithm, error) {
	for a := Algorithm(1); a < numAlgorithms; a++ {
		if algorithms[a].name == name {
			return a, nil
		}
	}
	return 0, fmt.Errorf("%w %q", ErrUnknownAlgorithm, name)
}

// Valid reports whether a is one of the constants.
func (a Algorithm) Valid() bool { return a > 0 && a < numAlgorithms }

// String is the lower-case name, such as "aes-128-gcm" or "mask-aes-128".
func (a Algorithm) String() string {
	if !a.Valid() {
		return fmt.Sprintf("algorithm(%d)", uint8(a))
	}
	return algorithms[a].name
}

// IsMask reports whether a makes header-protection masks. What is valid and
// neither a mask nor an exchange is an AEAD.
func (a Algorithm) IsMask() bool { return a.Valid() && algorithms[a].tags == nil && !a.IsExchange() }

// KeySize is the length of a key in bytes.
func (a Algorithm) KeySize() int { return a.traits().keySize }

// TagSizes lists the tag lengths in bytes that a allows, the full one first.
func (a Algorithm) TagSizes() []int { return slices.Clone(a.traits().tags) }

// NonceSizes lists the nonce lengths in bytes that a allows.
func (a Algorithm) NonceSizes() []int { return slices.Clone(a.traits().nonces) }

func (a Algorithm) traits() traits {
	if !a.Valid() {
		return traits{}
	}
	return algorithms[a]
}

// maxPayload is the longest plaintext in bytes under a nonce of that length.
// CCM counts the payload in the 15-n bytes that the nonce leaves (SP 800-38C
// A.1); the other algorithms allow more than a packet may have, but for those
// that take none.
func (a Algorithm) maxPayload(nonceSize int) uint32 {
	if a.Encryption() == IntegrityOnly {
		return 0
	}
	if (a == AES128CCM || a == AES256CCM) && nonceSize == 13 {
		return 1<<16 - 1
	}
	return MaxPayload
}
