package aesgcm

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// Std is the portable tier: one call of crypto/cipher a packet, any key size.
func Std() ciphers.AEAD { return ciphers.Std(newStd) }

const fullTag = 16

func newStd(key []byte, _, tagSize int) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil || tagSize == fullTag {
		return gcm, err
	}
	return &truncated{gcm, tagSize}, nil
}

// truncated shortens the tag of GCM to 8 or 12 bytes. crypto/cipher offers no
// 8, and with 12 it zeroes up to 3 bytes behind the tag of a one-byte plaintext
// (golang/go#80288), which in a packed buffer belong to the next packet. So
// both go through a buffer of our own and a full tag.
type truncated struct {
	full cipher.AEAD
	tag  int
}

func (t *truncated) NonceSize() int { return t.full.NonceSize() }
func (t *truncated) Overhead() int  { return t.tag }

func (t *truncated) Seal(dst, nonce, plaintext, aad []byte) []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	sealed := t.full.Seal(s.first[:0], nonce, plaintext, aad)
	return append(dst, sealed[:len(plaintext)+t.tag]...)
}

// Open decrypts by sealing the ciphertext, counter mode being its own inverse,
// and seals the result again for the tag that should have come.
func (t *truncated) Open(dst, nonce, ciphertext, aad []byte) ([]byte, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	n := len(ciphertext) - t.tag
	if n < 0 {
		return nil, ciphers.ErrAuth
	}
	plaintext := t.full.Seal(s.first[:0], nonce, ciphertext[:n], nil)[:n]
	sealed := t.full.Seal(s.second[:0], nonce, plaintext, aad)
	ok := subtle.ConstantTimeCompare(sealed[n:n+t.tag], ciphertext[n:]) == 1
	if ok {
		dst = append(dst, plaintext...)
	}
	clear(plaintext)
	if !ok {
		return nil, ciphers.ErrAuth
	}
	return dst, nil
}

// scratch has room for the largest packet twice.
type scratch struct {
	first, second [ciphers.MaxPayload + fullTag]byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}
