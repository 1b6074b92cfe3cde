package ipsecadapter

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Transform is what protects the packets of an SA: a cipher, an integrity algorithm or
// both in one, with the length of the ICV. The zero value is invalid.
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
	AES128GMAC                               // RFC 4543: integrity alone
	AES192GMAC                               // RFC 4543: integrity alone
	AES256GMAC                               // RFC 4543: integrity alone
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
	numTransforms
)

// traits are everything that the rest of the package knows of a transform. Lengths are
// in bytes.
type traits struct {
	name      string
	algorithm ciphers.Algorithm
	id        uint16 // IANA's number of the encryption algorithm in IKEv2
	salt      int    // of the nonce, behind the key in the key material
	iv        int    // what of it travels in the packet
	icv       int
	align     int  // a power of two, to which payload, padding and trailer are padded
	authOnly  bool // the payload is associated data and stays readable
}

var transforms = [numTransforms]traits{
	AES128GCM8:          {"aes128gcm8", ciphers.AES128GCM, 18, 4, 8, 8, 4, false},
	AES128GCM12:         {"aes128gcm12", ciphers.AES128GCM, 19, 4, 8, 12, 4, false},
	AES128GCM16:         {"aes128gcm16", ciphers.AES128GCM, 20, 4, 8, 16, 4, false},
	AES192GCM8:          {"aes192gcm8", ciphers.AES192GCM, 18, 4, 8, 8, 4, false},
	AES192GCM12:         {"aes192gcm12", ciphers.AES192GCM, 19, 4, 8, 12, 4, false},
	AES192GCM16:         {"aes192gcm16", ciphers.AES192GCM, 20, 4, 8, 16, 4, false},
	AES256GCM8:          {"aes256gcm8", ciphers.AES256GCM, 18, 4, 8, 8, 4, false},
	AES256GCM12:         {"aes256gcm12", ciphers.AES256GCM, 19, 4, 8, 12, 4, false},
	AES256GCM16:         {"aes256gcm16", ciphers.AES256GCM, 20, 4, 8, 16, 4, false},
	AES128GMAC:          {"aes128gmac", ciphers.AES128GCM, 21, 4, 8, 16, 4, true},
	AES192GMAC:          {"aes192gmac", ciphers.AES192GCM, 21, 4, 8, 16, 4, true},
	AES256GMAC:          {"aes256gmac", ciphers.AES256GCM, 21, 4, 8, 16, 4, true},
	ChaCha20Poly1305:    {"chacha20poly1305", ciphers.ChaCha20Poly1305, 28, 4, 8, 16, 4, false},
	AES128CCM8:          {"aes128ccm8", ciphers.AES128CCM, 14, 3, 8, 8, 4, false},
	AES128CCM12:         {"aes128ccm12", ciphers.AES128CCM, 15, 3, 8, 12, 4, false},
	AES128CCM16:         {"aes128ccm16", ciphers.AES128CCM, 16, 3, 8, 16, 4, false},
	AES256CCM8:          {"aes256ccm8", ciphers.AES256CCM, 14, 3, 8, 8, 4, false},
	AES256CCM12:         {"aes256ccm12", ciphers.AES256CCM, 15, 3, 8, 12, 4, false},
	AES256CCM16:         {"aes256ccm16", ciphers.AES256CCM, 16, 3, 8, 16, 4, false},
	AES128GCM16IIV:      {"aes128gcm16iiv", ciphers.AES128GCM, 30, 4, 0, 16, 4, false},
	AES192GCM16IIV:      {"aes192gcm16iiv", ciphers.AES192GCM, 30, 4, 0, 16, 4, false},
	AES256GCM16IIV:      {"aes256gcm16iiv", ciphers.AES256GCM, 30, 4, 0, 16, 4, false},
	ChaCha20Poly1305IIV: {"chacha20poly1305iiv", ciphers.ChaCha20Poly1305, 31, 4, 0, 16, 4, false},
}

// Transforms lists every transform in a fixed order.
func Transforms() []Transform {
	all := make([]Transform, 0, numTransforms-1)
	for t := Transform(1); t < numTransforms; t++ {
		all = append(all, t)
	}
	return all
}

// ParseTransform finds a transform by the name that String gives it. It returns an
// ErrConfig for any other name.
func ParseTransform(name string) (Transform, error) {
	for t := Transform(1); t < numTransforms; t++ {
		if transforms[t].name == name {
			return t, nil
		}
	}
	return 0, &FieldError{"Transform", fmt.Sprintf("%q is none", name)}
}

// Valid reports whether t is one of the constants.
func (t Transform) Valid() bool { return t > 0 && t < numTransforms }

// String is the lower-case name, such as "aes128gcm16".
func (t Transform) String() string {
	if !t.Valid() {
		return fmt.Sprintf("transform(%d)", uint8(t))
	}
	return transforms[t].name
}

func (t Transform) traits() traits {
	if !t.Valid() {
		return traits{}
	}
	return transforms[t]
}

// KeySize is the length in bytes of the key material that an SA takes, the salt that
// follows the key included, as RFC 4106 section 8.1 lays it out.
func (t Transform) KeySize() int { s := t.traits(); return s.algorithm.KeySize() + s.salt }

// ICVSize is the length of the integrity check value in bytes.
func (t Transform) ICVSize() int { return t.traits().icv }

// IVSize is how many bytes of IV a packet carries.
func (t Transform) IVSize() int { return t.traits().iv }

// EncryptionID is IANA's number of the transform among IKEv2's encryption algorithms
// (transform type 1).
func (t Transform) EncryptionID() uint16 { return t.traits().id }

// KeyBits is the Key Length attribute that goes with EncryptionID, in bits: 0 where the
// transform has none.
func (t Transform) KeyBits() int {
	s := t.traits()
	if s.algorithm == ciphers.ChaCha20Poly1305 {
		return 0
	}
	return 8 * s.algorithm.KeySize()
}

// newKey makes the engine's key from key material of KeySize bytes.
func (s *traits) newKey(e *engine.Engine, material []byte, d ciphers.Direction) (*engine.Key, error) {
	size := s.algorithm.KeySize()
	spec := engine.KeySpec{Algorithm: s.algorithm, Direction: d, Key: material[:size], TagSize: s.icv}
	iv := make([]byte, s.salt, s.salt+ciphers.ExplicitSize)
	copy(iv, material[size:])
	defer clear(iv[:cap(iv)])
	spec.Nonce, spec.IV = ciphers.NonceExplicit, iv
	if s.iv == 0 {
		spec.Nonce, spec.IV = ciphers.NonceXOR, iv[:cap(iv)]
	}
	return e.NewKey(spec)
}

func (s *traits) limits(esn bool) (record.Limits, error) {
	if esn {
		return record.LimitsFor(record.ESPESN, s.algorithm, s.icv)
	}
	return record.LimitsFor(record.ESP, s.algorithm, s.icv)
}
