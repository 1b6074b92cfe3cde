package cipherstest

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

// newOracle is another library's AEAD for alg, to compare with. The kit's own
// tests hold it against published vectors.
func newOracle(alg ciphers.Algorithm, key []byte, nonceSize, tagSize int) (cipher.AEAD, error) {
	if alg == ciphers.ChaCha20Poly1305 {
		return chacha20poly1305.New(key)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	switch alg {
	case ciphers.AES128CCM, ciphers.AES256CCM:
		return newOracleCCM(block, nonceSize, tagSize)
	case ciphers.AES128GCM, ciphers.AES192GCM, ciphers.AES256GCM:
		full, err := cipher.NewGCM(block)
		return shortGCM{full, tagSize}, err
	}
	return nil, fmt.Errorf("cipherstest: no oracle for %v", alg)
}

// shortGCM is GCM with a tag cut short (SP 800-38D section 5.2.1.2).
type shortGCM struct {
	cipher.AEAD
	tag int
}

func (g shortGCM) Overhead() int { return g.tag }

func (g shortGCM) Seal(dst, nonce, plaintext, aad []byte) []byte {
	sealed := g.AEAD.Seal(nil, nonce, plaintext, aad)
	return append(dst, sealed[:len(plaintext)+g.tag]...)
}

// oracleMask is the mask of RFC 9001 sections 5.4.3 and 5.4.4, by crypto/aes
// and x/crypto.
func oracleMask(alg ciphers.Algorithm, key, sample []byte) ([]byte, error) {
	mask := make([]byte, ciphers.MaskSize)
	if alg != ciphers.MaskChaCha20 {
		block, err := aes.NewCipher(key)
		if err == nil {
			block.Encrypt(mask, sample)
		}
		return mask, err
	}
	stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
	if err != nil {
		return nil, err
	}
	stream.SetCounter(binary.LittleEndian.Uint32(sample))
	stream.XORKeyStream(mask, mask)
	return mask, nil
}
