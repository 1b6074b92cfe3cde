package quicadapter

import (
	"crypto"
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
)

// Suite is a cipher suite of TLS 1.3 by its code point, as crypto/tls gives it. QUIC
// uses all of RFC 8446's but CCM_8 (RFC 9001 section 5.3).
type Suite uint16

// The suites.
const (
	AES128GCM        Suite = 0x1301 // TLS_AES_128_GCM_SHA256
	AES256GCM        Suite = 0x1302 // TLS_AES_256_GCM_SHA384
	ChaCha20Poly1305 Suite = 0x1303 // TLS_CHACHA20_POLY1305_SHA256
	AES128CCM        Suite = 0x1304 // TLS_AES_128_CCM_SHA256
)

// ErrSuite says that a cipher suite has no packet protection in QUIC.
var ErrSuite = errors.New("quicadapter: unknown cipher suite")

// TagSize is the length in bytes of the tag of every suite; it ends each packet.
const TagSize = 16

// protection is what a suite consists of (RFC 9001 sections 5.3 and 5.4).
type protection struct {
	aead ciphers.Algorithm
	mask ciphers.Algorithm
	hash crypto.Hash
}

func (s Suite) protection() (protection, error) {
	switch s {
	case AES128GCM:
		return protection{ciphers.AES128GCM, ciphers.MaskAES128, crypto.SHA256}, nil
	case AES256GCM:
		return protection{ciphers.AES256GCM, ciphers.MaskAES256, crypto.SHA384}, nil
	case ChaCha20Poly1305:
		return protection{ciphers.ChaCha20Poly1305, ciphers.MaskChaCha20, crypto.SHA256}, nil
	case AES128CCM:
		return protection{ciphers.AES128CCM, ciphers.MaskAES128, crypto.SHA256}, nil
	}
	return protection{}, fmt.Errorf("%w %#04x", ErrSuite, uint16(s))
}

// String is the suite's name in the registry of TLS.
func (s Suite) String() string {
	switch s {
	case AES128GCM:
		return "TLS_AES_128_GCM_SHA256"
	case AES256GCM:
		return "TLS_AES_256_GCM_SHA384"
	case ChaCha20Poly1305:
		return "TLS_CHACHA20_POLY1305_SHA256"
	case AES128CCM:
		return "TLS_AES_128_CCM_SHA256"
	}
	return fmt.Sprintf("suite(%#04x)", uint16(s))
}
