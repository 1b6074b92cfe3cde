package engine

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

// libraryAEAD makes the libraries' own AEAD, none of our code between.
func libraryAEAD(t testing.TB, alg Algorithm, key []byte) cipher.AEAD {
	t.Helper()
	return librarySized(t, alg, key, nonceSize, 16)
}

// librarySized is libraryAEAD for nonces and, for CCM, tags of other lengths.
func librarySized(t testing.TB, alg Algorithm, key []byte, nonce, tag int) cipher.AEAD {
	t.Helper()
	if alg == ciphers.ChaCha20Poly1305 {
		a, err := chacha20poly1305.New(key)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	make := cipher.NewGCM
	if alg == ciphers.AES128CCM || alg == ciphers.AES256CCM {
		make = func(b cipher.Block) (cipher.AEAD, error) { return ccm.NewCCM(b, tag, nonce) }
	}
	a, err := make(block)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// librarySeal is what a packet under a spec must become. A tag of GCM is the
// full one cut short (SP 800-38D section 5.2.1.2).
func librarySeal(t testing.TB, spec *KeySpec, number uint64, high uint32, plain, aad []byte) []byte {
	t.Helper()
	nonce, tag := libraryNonce(spec, number, high), spec.TagSize
	if tag == 0 {
		tag = 16
	}
	sealed := librarySized(t, spec.Algorithm, spec.Key, len(nonce), tag).Seal(nil, nonce, plain, aad)
	return sealed[:len(plain)+tag]
}

// libraryNonce is what RFC 8446 section 5.3 and RFC 5288 make of a number.
func libraryNonce(spec *KeySpec, number uint64, high uint32) []byte {
	nonce := slices.Clone(spec.IV)
	tail := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, high), number)
	if spec.Nonce == ciphers.NonceExplicit {
		return append(nonce, tail[4:]...)
	}
	for i, b := range tail {
		nonce[len(nonce)-12+i] ^= b
	}
	return nonce
}

// libraryMask is the mask of RFC 9001 sections 5.4.3 and 5.4.4.
func libraryMask(t testing.TB, alg Algorithm, key, sample []byte) []byte {
	t.Helper()
	mask := make([]byte, 16)
	if alg == ciphers.MaskChaCha20 {
		c, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
		if err != nil {
			t.Fatal(err)
		}
		c.SetCounter(binary.LittleEndian.Uint32(sample))
		c.XORKeyStream(mask, mask)
		return mask
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	block.Encrypt(mask, sample)
	return mask
}
