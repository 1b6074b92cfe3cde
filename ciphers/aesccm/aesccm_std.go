package aesccm

import (
	"crypto/aes"
	"crypto/cipher"

	"github.com/sealburst/sealburst/ciphers"
)

// Std is the portable tier: the mode of this package over crypto/aes, one
// packet at a time, any key size.
//
// The standard library has no CCM, and the CCM that pion/dtls carries allocates
// several times a packet, which an implementation of package ciphers must not.
// So the mode is ours; pion's is what the tests hold it against.
func Std() ciphers.AEAD { return ciphers.Std(newStd) }

func newStd(key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return &mode{block, nonceSize, tagSize}, nil
}
