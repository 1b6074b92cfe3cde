package ipsecadapter

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
)

// Transform is what protects the packets of an SA: a cipher, an integrity algorithm or
// both, with the length of the ICV. The zero value is invalid. Those that are a cipher
// and an HMAC are made by EncryptThenMAC.
type Transform uint8

// The transforms. The last number in a name is the ICV's length in bytes; those that end
// in IIV derive the IV from the sequence number and do not send it (RFC 8750).
const (
	AES128GCM8          Transform = iota + 1 // RFC 4106
	AES128GCM12                              // RFC 4106
	AES128GCM16                              // RFC 4106
	AES192GCM8                               // RFC 4106
	AES192GCM12                              // RFC 4106
	AES192GCM16                              // RFC 4106
	AES256GCM8                               // RFC 4106
	AES256GCM12                              // RFC 4106
	AES256GCM16                              // RFC 4106
	AES128GMAC                               // RFC 4543: integrity alone, in ESP and in AH
	AES192GMAC                               // RFC 4543: integrity alone, in ESP and in AH
	AES256GMAC                               // RFC 4543: integrity alone, in ESP and in AH
	ChaCha20Poly1305                         // RFC 7634
	AES128CCM8                               // RFC 4309
	AES128CCM12                              // RFC 4309
	AES128CCM16                              // RFC 4309
	AES256CCM8                               // RFC 4309
	AES256CCM12                              // RFC 4309
	AES256CCM16                              // RFC 4309
	AES128GCM16IIV                           // RFC 8750
	AES192GCM16IIV                           // RFC 8750
	AES256GCM16IIV                           // RFC 8750
	ChaCha20Poly1305IIV                      // RFC 8750
	AES128CCM8IIV                            // RFC 8750
	AES256CCM8IIV                            // RFC 8750
	firstPair                                // from here on what EncryptThenMAC makes
)

// pairs is how many algorithms ciphers.EncryptThenMAC makes.
const pairs = int(ciphers.BlowfishCBC) * int(ciphers.HMACMD5)

const numTransforms = firstPair + Transform(pairs)

// EncryptThenMAC is the transform of a cipher and an HMAC, as ciphers.EncryptThenMAC
// joins them, and zero when a part is not one of the constants: AES-CBC (RFC 3602),
// AES-CTR (RFC 3686) and NULL (RFC 2410) with an HMAC for ESP, and
// ciphers.IntegrityOnly, with an HMAC, for AH. HMAC-SHA-1-96 and HMAC-MD5-96, NULL, DES,
// 3DES and Blowfish are legacy, which the engine must allow.
func EncryptThenMAC(e ciphers.Encryption, i ciphers.Integrity) Transform {
	a := ciphers.EncryptThenMAC(e, i)
	if a == 0 {
		return 0
	}
	return firstPair + Transform(a-lowestPair)
}

// lowestPair is the algorithm that the first pair of transforms has.
var lowestPair = ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256)

// Transforms lists every transform of ESP in a fixed order.
func Transforms() []Transform { return transformsOf(ESP) }

// AHTransforms lists every transform of AH in a fixed order.
func AHTransforms() []Transform { return transformsOf(AH) }

func transformsOf(p Protocol) (all []Transform) {
	for t := Transform(1); t.Valid(); t++ {
		if t.Serves(p) {
			all = append(all, t)
		}
	}
	return all
}

// ParseTransform finds a transform by the name that String gives it, those that Transforms
// and AHTransforms list. It returns an ErrConfig for any other name.
func ParseTransform(name string) (Transform, error) {
	for t := Transform(1); t.Valid(); t++ {
		if transforms[t].name == name {
			return t, nil
		}
	}
	return 0, &FieldError{"Transform", fmt.Sprintf("%q is none; names are as aes128gcm16, aes256ccm8, chacha20poly1305 and aes128-sha256, and Transforms lists them", name)}
}

// Valid reports whether t is one of the constants, or made by EncryptThenMAC.
func (t Transform) Valid() bool { return t > 0 && t < numTransforms }

// Serves reports whether SAs of the protocol can have the transform.
func (t Transform) Serves(p Protocol) bool {
	s := t.traits()
	integrity := s.algorithm.Encryption() == ciphers.IntegrityOnly
	switch p {
	case ESP:
		return t.Valid() && !integrity
	case AH:
		return integrity || s.authOnly
	}
	return false
}

// IsLegacy reports whether the transform is there to talk to old equipment and to
// measure. An engine without engine.Config.AllowLegacy refuses its SAs.
func (t Transform) IsLegacy() bool { return t.traits().algorithm.IsLegacy() }

// String is the lower-case name: "aes128gcm16", "aes256ccm8", "chacha20poly1305";
// cipher and HMAC as "aes128-sha256", "aes256ctr-sha512", "3des-sha1", "null-md5"; an
// HMAC for AH as "sha256".
func (t Transform) String() string {
	if !t.Valid() {
		return fmt.Sprintf("transform(%d)", uint8(t))
	}
	return transforms[t].name
}

// KeySize is the length in bytes of the key material that an SA takes, in the order of
// RFC 7296 section 2.17: the cipher's key, the salt that belongs to it as RFC 4106
// section 8.1 and RFC 3686 section 5.1 have it, the HMAC's key.
func (t Transform) KeySize() int {
	s := t.traits()
	return s.algorithm.KeySize() + s.salt + s.algorithm.AuthKeySize()
}

// ICVSize is the length of the integrity check value in bytes.
func (t Transform) ICVSize() int { return t.traits().icv }

// IVSize is how many bytes of IV a packet carries.
func (t Transform) IVSize() int { return t.traits().iv }

// EncryptionID is IANA's number of the transform among IKEv2's encryption algorithms
// (transform type 1), and 0 for one that serves AH alone.
func (t Transform) EncryptionID() uint16 { return t.traits().id }

// IntegrityID is IANA's number of the transform among IKEv2's integrity algorithms
// (transform type 3). A cipher that needs none beside it has 0, but those of GMAC have the
// number that they go by in AH.
func (t Transform) IntegrityID() uint16 { return t.traits().integrity }

// KeyBits is the Key Length attribute that goes with EncryptionID, in bits: 0 where the
// transform has none.
func (t Transform) KeyBits() int {
	s := t.traits()
	if s.fixedKey {
		return 0
	}
	return 8 * s.algorithm.KeySize()
}
