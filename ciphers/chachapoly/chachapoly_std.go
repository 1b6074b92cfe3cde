package chachapoly

import (
	"crypto/cipher"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20poly1305"
)

// Std is the portable tier: one call of golang.org/x/crypto a packet.
func Std() ciphers.AEAD {
	return ciphers.Std(func(key []byte, _, _ int) (cipher.AEAD, error) { return chacha20poly1305.New(key) })
}
