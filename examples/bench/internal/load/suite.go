// Package load is the work that bench measures: packets of given lengths under
// given keys, sealed, opened or masked by the libraries' own calls or by an
// engine. What an engine makes is compared with what the libraries make, before
// and after it is measured.
package load

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"strings"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"golang.org/x/crypto/chacha20poly1305"
)

// Suite is an AEAD as bench names it, with the mask that QUIC and DTLS 1.3 use
// beside it.
type Suite struct {
	Name string
	Alg  engine.Algorithm
	Tag  int
	Mask engine.Algorithm
}

// Suites lists every suite.
func Suites() []Suite {
	return []Suite{
		{"aes-128-gcm", ciphers.AES128GCM, 16, ciphers.MaskAES128},
		{"aes-192-gcm", ciphers.AES192GCM, 16, 0},
		{"aes-256-gcm", ciphers.AES256GCM, 16, ciphers.MaskAES256},
		{"aes-128-ccm", ciphers.AES128CCM, 16, ciphers.MaskAES128},
		{"aes-128-ccm-8", ciphers.AES128CCM, 8, ciphers.MaskAES128},
		{"chacha20-poly1305", ciphers.ChaCha20Poly1305, 16, ciphers.MaskChaCha20},
	}
}

// Masks lists every mask.
func Masks() []engine.Algorithm {
	return []engine.Algorithm{ciphers.MaskAES128, ciphers.MaskAES256, ciphers.MaskChaCha20}
}

// FindSuites gives the suite of that name, or all for the empty name.
func FindSuites(name string) ([]Suite, error) {
	if name == "" {
		return Suites(), nil
	}
	var known []string
	for _, s := range Suites() {
		if s.Name == name {
			return []Suite{s}, nil
		}
		known = append(known, s.Name)
	}
	return nil, fmt.Errorf("no algorithm %q; there are %s", name, strings.Join(known, ", "))
}

// library makes the suite's cipher.AEAD: crypto/cipher, x/crypto, or for CCM,
// which these lack, pion.
func (s Suite) library(key []byte) (cipher.AEAD, error) {
	if s.Alg == ciphers.ChaCha20Poly1305 {
		return chacha20poly1305.New(key)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if s.Alg == ciphers.AES128CCM {
		return ccm.NewCCM(block, s.Tag, nonceSize)
	}
	return cipher.NewGCM(block)
}
