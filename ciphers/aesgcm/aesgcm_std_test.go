package aesgcm

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

func TestStd(t *testing.T) {
	for _, alg := range []ciphers.Algorithm{ciphers.AES128GCM, ciphers.AES192GCM, ciphers.AES256GCM} {
		t.Run(alg.String(), func(t *testing.T) { cipherstest.TestAEAD(t, alg, Std()) })
	}
}

// fullGCM is the library's GCM under the key of the tests.
func fullGCM(t *testing.T) cipher.AEAD {
	t.Helper()
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return gcm
}

// TestTruncatedKeepsWhatLiesBehind gives the short-tag AEAD a destination with
// room for more than it writes.
func TestTruncatedKeepsWhatLiesBehind(t *testing.T) {
	full, nonce, aad := fullGCM(t), make([]byte, 12), []byte("header")
	for _, tag := range []int{8, 12} {
		short := &truncated{full, tag}
		for n := range 40 {
			plaintext := bytes.Repeat([]byte{0x5A}, n)
			room := bytes.Repeat([]byte{0xA5}, n+tag+16)
			sealed := short.Seal(room[:0], nonce, plaintext, aad)
			want := full.Seal(nil, nonce, plaintext, aad)[:n+tag]
			if !bytes.Equal(sealed, want) || &sealed[0] != &room[0] {
				t.Errorf("tag %d, %d bytes: sealed %x, want %x in place", tag, n, sealed, want)
			}
			if !bytes.Equal(room[n+tag:], bytes.Repeat([]byte{0xA5}, 16)) {
				t.Errorf("tag %d, %d bytes: wrote behind the tag: %x", tag, n, room[n+tag:])
			}
		}
	}
}

func TestTruncatedRefusesShortInput(t *testing.T) {
	for _, tag := range []int{8, 12} {
		short := &truncated{fullGCM(t), tag}
		for n := range tag {
			if _, err := short.Open(nil, make([]byte, 12), make([]byte, n), nil); !errors.Is(err, ciphers.ErrAuth) {
				t.Errorf("tag %d, %d bytes: %v", tag, n, err)
			}
		}
	}
}
