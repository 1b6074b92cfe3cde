package ciphers

import (
	"fmt"
	"slices"
)

// Direction is what a key is for; a key serves one.
type Direction uint8

// The directions. Mask keys have none.
const (
	Sealing Direction = iota + 1
	Opening
)

// NonceForm says how a packet's nonce comes from its key and its number.
type NonceForm uint8

const (
	// NonceXOR combines IV, as long as the nonce, with the big-endian High and
	// Number by exclusive or: TLS 1.3 (RFC 8446 section 5.3), QUIC (RFC 9001
	// section 5.3), ChaCha20-Poly1305 in TLS 1.2 (RFC 7905), and with 8 zero
	// bytes behind the salt the implicit IVs of ESP (RFC 8750). A nonce of 11 bytes,
	// which CCM has there, takes a High of 24 bits.
	NonceXOR NonceForm = iota + 1
	// NonceExplicit puts 8 explicit bytes behind the salt in IV: GCM and CCM in
	// TLS 1.2 (RFC 5288, RFC 6655) with a salt of 4, GCM and CTR in ESP (RFC 4106,
	// RFC 3686) with 4, CCM in ESP (RFC 4309) with 3. Sealing writes Number there, big-endian,
	// at IVOff; opening takes what the peer put there.
	NonceExplicit
	// NonceDrawn is an IV as long as the cipher's block, whole in the packet at
	// IVOff: CBC in ESP (RFC 3602, RFC 2451). Sealing draws it there from the
	// system's random source, for a whole burst at once; opening takes what the
	// peer put there. KeySpec.IV is empty.
	NonceDrawn
)

// ExplicitSize is the length of the explicit part of NonceExplicit in bytes.
const ExplicitSize = 8

// KeySpec describes a key to be made. Key, AuthKey and IV are copied. An
// algorithm of EncryptThenMAC takes the form of nonce that its IVForm says.
type KeySpec struct {
	Algorithm Algorithm
	Direction Direction // AEADs only
	Key       []byte    // Algorithm.KeySize bytes
	Nonce     NonceForm // AEADs only
	IV        []byte    // AEADs only: the fixed part of the nonce
	TagSize   int       // AEADs only: bytes; 0 means the full tag
	AuthKey   []byte    // EncryptThenMAC only: Algorithm.AuthKeySize bytes
	ESN       bool      // EncryptThenMAC only: the ICV covers Packet.High behind the ciphertext (RFC 4303 section 2.2.1)
}

// Check says which field of the spec is wrong, or nil.
func (s *KeySpec) Check() error {
	if !s.Algorithm.Valid() {
		return fmt.Errorf("%w: %w", &FieldError{"Algorithm", s.Algorithm.String()}, ErrUnknownAlgorithm)
	}
	if s.Algorithm.IsExchange() {
		return &FieldError{"Algorithm", s.Algorithm.String() + " exchanges keys and takes none"}
	}
	if len(s.Key) != s.Algorithm.KeySize() {
		return &FieldError{"Key", fmt.Sprintf("%d bytes, %v takes %d", len(s.Key), s.Algorithm, s.Algorithm.KeySize())}
	}
	if n := s.Algorithm.AuthKeySize(); len(s.AuthKey) != n {
		return &FieldError{"AuthKey", fmt.Sprintf("%d bytes, %v takes %d", len(s.AuthKey), s.Algorithm, n)}
	}
	if s.ESN && !s.Algorithm.isPair() {
		return &FieldError{"ESN", s.Algorithm.String() + " computes no HMAC"}
	}
	switch {
	case s.Algorithm.IsMask():
		return s.checkMask()
	case s.Algorithm.isPair():
		return s.checkPair()
	}
	return s.checkAEAD()
}

func (s *KeySpec) checkMask() error {
	switch {
	case s.Direction != 0:
		return &FieldError{"Direction", "a mask key has none"}
	case s.Nonce != 0:
		return &FieldError{"Nonce", "a mask key has none"}
	case len(s.IV) != 0:
		return &FieldError{"IV", "a mask key has none"}
	case s.TagSize != 0:
		return &FieldError{"TagSize", "a mask key has none"}
	}
	return nil
}

func (s *KeySpec) checkAEAD() error {
	if s.Direction != Sealing && s.Direction != Opening {
		return &FieldError{"Direction", "neither Sealing nor Opening"}
	}
	if s.Nonce != NonceXOR && s.Nonce != NonceExplicit {
		return &FieldError{"Nonce", "neither NonceXOR nor NonceExplicit"}
	}
	if n := len(s.IV); s.Nonce == NonceXOR && n < 11 || s.Nonce == NonceExplicit && n != 3 && n != 4 {
		return &FieldError{"IV", fmt.Sprintf("%d bytes; NonceXOR takes the whole nonce, NonceExplicit a salt of 3 or 4", n)}
	}
	if t := s.Algorithm.traits(); !slices.Contains(t.nonces, s.nonceSize()) {
		return &FieldError{"IV", fmt.Sprintf("%d bytes make a nonce of %d, %v takes %v", len(s.IV), s.nonceSize(), s.Algorithm, t.nonces)}
	} else if s.TagSize != 0 && !slices.Contains(t.tags, s.TagSize) {
		return &FieldError{"TagSize", fmt.Sprintf("%d bytes, %v takes %v", s.TagSize, s.Algorithm, t.tags)}
	}
	return nil
}

func (s *KeySpec) checkPair() error {
	t, form := s.Algorithm.traits(), s.Algorithm.IVForm()
	salt := 0
	if form == NonceExplicit {
		salt = t.nonces[0] - ExplicitSize
	}
	switch {
	case s.Direction != Sealing && s.Direction != Opening:
		return &FieldError{"Direction", "neither Sealing nor Opening"}
	case s.Nonce != form:
		return &FieldError{"Nonce", "not what IVForm says of " + s.Algorithm.String()}
	case len(s.IV) != salt:
		return &FieldError{"IV", fmt.Sprintf("%d bytes, %v takes %d", len(s.IV), s.Algorithm, salt)}
	case s.TagSize != 0 && s.TagSize != t.tags[0]:
		return &FieldError{"TagSize", fmt.Sprintf("%d bytes, %v takes %v", s.TagSize, s.Algorithm, t.tags)}
	}
	return nil
}

func (s *KeySpec) nonceSize() int {
	switch s.Nonce {
	case NonceExplicit:
		return len(s.IV) + ExplicitSize
	case NonceDrawn:
		return s.Algorithm.traits().nonces[0]
	}
	return len(s.IV)
}
