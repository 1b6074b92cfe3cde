package quicadapter

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// RetryTags makes and checks the integrity tags of Retry packets (RFC 9001 section 5.8,
// RFC 9369 section 3.3.3). It is safe for concurrent use.
type RetryTags struct {
	tags1, tags2 *engine.AEAD
}

// The keys and nonces are public: the tag proves only that whoever made the Retry saw
// the Initial that it answers.
const (
	retryKey1   = "\xbe\x0c\x69\x0b\x9f\x66\x57\x5a\x1d\x76\x6b\x54\xe3\x68\xc8\x4e"
	retryNonce1 = "\x46\x15\x99\xd3\x5d\x63\x2b\xf2\x23\x98\x25\xbb"
	retryKey2   = "\x8f\xb4\xb0\x1b\x56\xac\x48\xe2\x60\xfb\xcb\xce\xad\x7c\xcc\x92"
	retryNonce2 = "\xd8\x69\x69\xbc\x2d\x7c\x6d\x99\x90\xef\xb0\x4a"
)

// NewRetryTags expands the keys of both versions. Close frees them. It returns ErrConfig
// without an engine.
func NewRetryTags(e *engine.Engine) (*RetryTags, error) {
	if e == nil {
		return nil, fmt.Errorf("%w: Engine is missing", ErrConfig)
	}
	tags1, err := e.AEAD(ciphers.AES128GCM, []byte(retryKey1))
	if err != nil {
		return nil, err
	}
	tags2, err := e.AEAD(ciphers.AES128GCM, []byte(retryKey2))
	if err != nil {
		tags1.Close()
		return nil, err
	}
	return &RetryTags{tags1, tags2}, nil
}

// Close frees the keys.
func (r *RetryTags) Close() {
	r.tags1.Close()
	r.tags2.Close()
}

// tag computes the tag of a Retry packet that lacks it. original is the destination
// connection ID of the Initial that it answers.
func (r *RetryTags) tag(v Version, original, packet []byte) []byte {
	aead, nonce := r.tags1, retryNonce1
	if v == Version2 {
		aead, nonce = r.tags2, retryNonce2
	}
	pseudo := make([]byte, 0, 1+len(original)+len(packet))
	pseudo = append(append(append(pseudo, byte(len(original))), original...), packet...)
	return aead.Seal(nil, []byte(nonce), nil, pseudo)
}

// Append appends a whole Retry packet to dst (RFC 9000 section 17.2.5). original is the
// destination connection ID of the client's Initial, destination the client's source
// connection ID, source the server's new one. It returns ErrConfig for a version, an ID
// or a token that a Retry cannot have.
func (r *RetryTags) Append(dst []byte, v Version, original, destination, source, token []byte) ([]byte, error) {
	if v != Version1 && v != Version2 {
		return dst, fmt.Errorf("%w: Version %#08x", ErrConfig, uint32(v))
	}
	if max(len(original), len(destination), len(source)) > MaxConnectionID {
		return dst, fmt.Errorf("%w: a connection ID is longer than %d bytes", ErrConfig, MaxConnectionID)
	}
	if len(token) == 0 || len(token) > maxDatagram-MaxLongOverhead-TagSize {
		return dst, fmt.Errorf("%w: a token of %d bytes", ErrConfig, len(token))
	}
	start := len(dst)
	dst = append(dst, longForm|fixedBit|longBits(v, Retry)|0x0f) // the low bits are unused
	dst = appendIDs(binary.BigEndian.AppendUint32(dst, uint32(v)), destination, source)
	dst = append(dst, token...)
	return append(dst, r.tag(v, original, dst[start:])...), nil
}

// Valid reports whether packet, whole and alone in its datagram, is a Retry of version 1
// or 2 with the right tag for that original connection ID. The tag is compared in constant time.
func (r *RetryTags) Valid(original, packet []byte) bool {
	var h Header
	if len(original) > MaxConnectionID || h.Parse(packet, 0) != 0 || h.Type != Retry {
		return false
	}
	end := len(packet) - TagSize
	return subtle.ConstantTimeCompare(r.tag(h.Version, original, packet[:end]), packet[end:]) == 1
}

func appendIDs(dst, destination, source []byte) []byte {
	dst = append(append(dst, byte(len(destination))), destination...)
	return append(append(dst, byte(len(source))), source...)
}
