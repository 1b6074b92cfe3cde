// Package keysched derives record keys from secrets: the PRF of TLS 1.2 (RFC 5246
// section 5), HKDF-Expand-Label of TLS 1.3 and DTLS 1.3 (RFC 8446 section 7.1, RFC
// 9147 section 5.9), QUIC's secrets and keys (RFC 9001 section 5, RFC 9369 section
// 3.3), and prf+ of IKEv2 (RFC 7296 section 2.13).
//
// Every function fills slices of the caller's, whose lengths say how much is
// wanted, so that the caller can zero them. On an error they are left as they were.
// A secret that is missing, or not as long as the standard fixes it, is refused: keys
// from it could be computed by anyone.
// Hashes are named by crypto.Hash. A handshake calls these functions, a packet never
// does; they allocate.
package keysched

import (
	"crypto"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
	"math"
	"strconv"
)

var (
	// ErrHash says that the key schedule is not defined for that hash.
	ErrHash = errors.New("keysched: hash is not offered")
	// ErrLength says that an input or the output wanted has a length that the
	// standard does not allow. Such an error is a *LengthError.
	ErrLength = errors.New("keysched: length out of range")
	// ErrLabel says that a label is reserved, or too long.
	ErrLabel = errors.New("keysched: label is not allowed")
	// ErrPrefix says that a prefix is neither TLS13 nor DTLS13.
	ErrPrefix = errors.New("keysched: unknown label prefix")
	// ErrVersion says that a QUIC version has no key schedule here.
	ErrVersion = errors.New("keysched: unknown QUIC version")
)

// newSHA2 is the constructor for the hashes of TLS and QUIC suites.
func newSHA2(h crypto.Hash) (func() hash.Hash, error) {
	switch h {
	case crypto.SHA256:
		return sha256.New, nil
	case crypto.SHA384:
		return sha512.New384, nil
	}
	return nil, fmt.Errorf("%w: %d", ErrHash, h)
}

// newIKE is the constructor for the hashes that IKEv2 has a prf of.
func newIKE(h crypto.Hash) (func() hash.Hash, error) {
	switch h {
	case crypto.SHA1: // RFC 8247 section 2.2 keeps it for old peers
		return sha1.New, nil
	case crypto.SHA512:
		return sha512.New, nil
	}
	return newSHA2(h)
}

// LengthError names an argument or a field that is too short or too long. It is an
// ErrLength.
type LengthError struct {
	Field       string // as it stands in the call: "secret", "dst"
	Got         int    // bytes
	Least, Most int    // bytes that are allowed; math.MaxInt is no bound
}

// Error gives the field, its length, and the lengths that it may have.
func (e *LengthError) Error() string {
	allowed := fmt.Sprintf("%d to %d", e.Least, e.Most)
	switch e.Most {
	case e.Least:
		allowed = strconv.Itoa(e.Least)
	case math.MaxInt:
		allowed = fmt.Sprintf("%d or more", e.Least)
	}
	return fmt.Sprintf("%v: %s has %d bytes, not %s", ErrLength, e.Field, e.Got, allowed)
}

// Is makes the error an ErrLength.
func (e *LengthError) Is(target error) bool { return target == ErrLength }

func checkLength(field string, got, least, most int) error {
	if got < least || got > most {
		return &LengthError{field, got, least, most}
	}
	return nil
}

// checkSecret is for secrets that have no fixed length but must be there.
func checkSecret(field string, secret []byte) error {
	return checkLength(field, len(secret), 1, math.MaxInt)
}

// sum writes the MAC of the parts into out, which it may be one of.
func sum(mac hash.Hash, out []byte, parts ...[]byte) {
	mac.Reset()
	for _, part := range parts {
		mac.Write(part)
	}
	mac.Sum(out[:0])
}

// carve cuts a stream of key material into the slices wanted, in order.
func carve(stream []byte, into ...[]byte) {
	for _, part := range into {
		stream = stream[copy(part, stream):]
	}
}

func total(parts ...[]byte) int {
	var n int
	for _, part := range parts {
		n += len(part)
	}
	return n
}

func newMAC(newHash func() hash.Hash, secret []byte) (mac hash.Hash, block []byte) {
	mac = hmac.New(newHash, secret)
	return mac, make([]byte, mac.Size())
}
