package ipsecadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// traits are everything that the rest of the package knows of a transform. Lengths are
// in bytes.
type traits struct {
	name      string
	algorithm ciphers.Algorithm
	id        uint16 // IANA's number of the encryption algorithm in IKEv2
	integrity uint16 // IANA's number of the integrity algorithm in IKEv2
	salt      int    // of the nonce, behind the key in the key material
	iv        int    // what of it travels in the packet
	icv       int
	align     int  // a power of two, to which payload, padding and trailer are padded
	authOnly  bool // an AEAD whose payload is associated data and stays readable
	fixedKey  bool // IKEv2 knows no other length of key
}

var transforms = withPairs([numTransforms]traits{
	AES128GCM8:          {name: "aes128gcm8", algorithm: ciphers.AES128GCM, id: 18, salt: 4, iv: 8, icv: 8, align: 4},
	AES128GCM12:         {name: "aes128gcm12", algorithm: ciphers.AES128GCM, id: 19, salt: 4, iv: 8, icv: 12, align: 4},
	AES128GCM16:         {name: "aes128gcm16", algorithm: ciphers.AES128GCM, id: 20, salt: 4, iv: 8, icv: 16, align: 4},
	AES192GCM8:          {name: "aes192gcm8", algorithm: ciphers.AES192GCM, id: 18, salt: 4, iv: 8, icv: 8, align: 4},
	AES192GCM12:         {name: "aes192gcm12", algorithm: ciphers.AES192GCM, id: 19, salt: 4, iv: 8, icv: 12, align: 4},
	AES192GCM16:         {name: "aes192gcm16", algorithm: ciphers.AES192GCM, id: 20, salt: 4, iv: 8, icv: 16, align: 4},
	AES256GCM8:          {name: "aes256gcm8", algorithm: ciphers.AES256GCM, id: 18, salt: 4, iv: 8, icv: 8, align: 4},
	AES256GCM12:         {name: "aes256gcm12", algorithm: ciphers.AES256GCM, id: 19, salt: 4, iv: 8, icv: 12, align: 4},
	AES256GCM16:         {name: "aes256gcm16", algorithm: ciphers.AES256GCM, id: 20, salt: 4, iv: 8, icv: 16, align: 4},
	AES128GMAC:          {name: "aes128gmac", algorithm: ciphers.AES128GCM, id: 21, salt: 4, iv: 8, icv: 16, align: 4, authOnly: true, integrity: 9},
	AES192GMAC:          {name: "aes192gmac", algorithm: ciphers.AES192GCM, id: 21, salt: 4, iv: 8, icv: 16, align: 4, authOnly: true, integrity: 10},
	AES256GMAC:          {name: "aes256gmac", algorithm: ciphers.AES256GCM, id: 21, salt: 4, iv: 8, icv: 16, align: 4, authOnly: true, integrity: 11},
	ChaCha20Poly1305:    {name: "chacha20poly1305", algorithm: ciphers.ChaCha20Poly1305, id: 28, salt: 4, iv: 8, icv: 16, align: 4, fixedKey: true},
	AES128CCM8:          {name: "aes128ccm8", algorithm: ciphers.AES128CCM, id: 14, salt: 3, iv: 8, icv: 8, align: 4},
	AES128CCM12:         {name: "aes128ccm12", algorithm: ciphers.AES128CCM, id: 15, salt: 3, iv: 8, icv: 12, align: 4},
	AES128CCM16:         {name: "aes128ccm16", algorithm: ciphers.AES128CCM, id: 16, salt: 3, iv: 8, icv: 16, align: 4},
	AES256CCM8:          {name: "aes256ccm8", algorithm: ciphers.AES256CCM, id: 14, salt: 3, iv: 8, icv: 8, align: 4},
	AES256CCM12:         {name: "aes256ccm12", algorithm: ciphers.AES256CCM, id: 15, salt: 3, iv: 8, icv: 12, align: 4},
	AES256CCM16:         {name: "aes256ccm16", algorithm: ciphers.AES256CCM, id: 16, salt: 3, iv: 8, icv: 16, align: 4},
	AES128GCM16IIV:      {name: "aes128gcm16iiv", algorithm: ciphers.AES128GCM, id: 30, salt: 4, iv: 0, icv: 16, align: 4},
	AES192GCM16IIV:      {name: "aes192gcm16iiv", algorithm: ciphers.AES192GCM, id: 30, salt: 4, iv: 0, icv: 16, align: 4},
	AES256GCM16IIV:      {name: "aes256gcm16iiv", algorithm: ciphers.AES256GCM, id: 30, salt: 4, iv: 0, icv: 16, align: 4},
	ChaCha20Poly1305IIV: {name: "chacha20poly1305iiv", algorithm: ciphers.ChaCha20Poly1305, id: 31, salt: 4, iv: 0, icv: 16, align: 4, fixedKey: true},
	AES128CCM8IIV:       {name: "aes128ccm8iiv", algorithm: ciphers.AES128CCM, id: 29, salt: 3, iv: 0, icv: 8, align: 4},
	AES256CCM8IIV:       {name: "aes256ccm8iiv", algorithm: ciphers.AES256CCM, id: 29, salt: 3, iv: 0, icv: 8, align: 4},
})

// numbers are IANA's, of the parts of a pair, and what the parts are called in proposals.
var encryptions = [...]struct {
	name     string
	id       uint16
	fixedKey bool
}{
	ciphers.AES128CBC:      {"aes128", 12, false},
	ciphers.AES192CBC:      {"aes192", 12, false},
	ciphers.AES256CBC:      {"aes256", 12, false},
	ciphers.AES128CTR:      {"aes128ctr", 13, false},
	ciphers.AES192CTR:      {"aes192ctr", 13, false},
	ciphers.AES256CTR:      {"aes256ctr", 13, false},
	ciphers.NullEncryption: {"null", 11, true},
	ciphers.TripleDESCBC:   {"3des", 3, true},
	ciphers.DESCBC:         {"des", 2, true},
	ciphers.BlowfishCBC:    {"blowfish128", 7, false},
}

var integrities = [...]struct {
	name string
	id   uint16
}{
	ciphers.HMACSHA256: {"sha256", 12},
	ciphers.HMACSHA384: {"sha384", 13},
	ciphers.HMACSHA512: {"sha512", 14},
	ciphers.HMACSHA1:   {"sha1", 2},
	ciphers.HMACMD5:    {"md5", 1},
}

// withPairs adds the traits of all pairs to those of the AEADs.
func withPairs(all [numTransforms]traits) [numTransforms]traits {
	for i := range pairs {
		a := lowestPair + ciphers.Algorithm(i)
		e, auth := encryptions[a.Encryption()], integrities[a.Integrity()]
		s := traits{name: e.name + "-" + auth.name, algorithm: a, id: e.id, integrity: auth.id, fixedKey: e.fixedKey,
			icv: a.TagSizes()[0], align: max(4, a.BlockSize())}
		switch a.IVForm() {
		case ciphers.NonceExplicit: // RFC 3686 section 4
			s.salt, s.iv = 4, ciphers.ExplicitSize
		case ciphers.NonceDrawn:
			s.iv = a.BlockSize()
		}
		if a.Encryption() == ciphers.IntegrityOnly {
			s.name, s.fixedKey = auth.name, true
		}
		all[firstPair+Transform(i)] = s
	}
	return all
}

func (t Transform) traits() traits {
	if !t.Valid() {
		return traits{}
	}
	return transforms[t]
}

// isPair reports whether the transform is a cipher and an HMAC, or an HMAC alone.
func (s *traits) isPair() bool { return s.algorithm.Integrity() != 0 }

// wholeNonce reports whether the engine gets the IV as the record number, and the nonce is
// that behind the salt. That is so for every AEAD with nonces of 12 bytes, where the IV of a
// packet is written, and read, here, and for those that send none.
func (s *traits) wholeNonce() bool { return !s.isPair() && (s.salt == 4 || s.iv == 0) }

// newKey makes the engine's key from key material of KeySize bytes.
func (s *traits) newKey(e *engine.Engine, material []byte, d ciphers.Direction, esn bool) (*engine.Key, error) {
	size := s.algorithm.KeySize()
	spec := engine.KeySpec{Algorithm: s.algorithm, Direction: d, Key: material[:size], TagSize: s.icv}
	iv := make([]byte, s.salt, s.salt+ciphers.ExplicitSize)
	copy(iv, material[size:])
	defer clear(iv[:cap(iv)])
	switch {
	case s.isPair():
		spec.Nonce, spec.IV, spec.ESN = s.algorithm.IVForm(), iv, esn
		spec.AuthKey = material[size+s.salt:]
	case s.wholeNonce():
		spec.Nonce, spec.IV = ciphers.NonceXOR, iv[:cap(iv)]
	default:
		spec.Nonce, spec.IV = ciphers.NonceExplicit, iv
	}
	return e.NewKey(spec)
}

func (s *traits) limits(esn bool) (record.Limits, error) {
	if esn {
		return record.LimitsFor(record.ESPESN, s.algorithm, s.icv)
	}
	return record.LimitsFor(record.ESP, s.algorithm, s.icv)
}
