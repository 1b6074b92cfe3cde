package engine

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"testing"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

// libraryAEAD makes the libraries' own AEAD, none of our code between.
func libraryAEAD(t *testing.T, alg Algorithm, key []byte) cipher.AEAD {
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
		make = func(b cipher.Block) (cipher.AEAD, error) { return ccm.NewCCM(b, 16, 12) }
	}
	a, err := make(block)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestKnownAnswersAreTheLibraries(t *testing.T) {
	for _, alg := range ciphers.Algorithms() {
		key := counting(alg.KeySize(), 0)
		var got string
		if alg.IsMask() {
			got = digest(libraryMasks(t, alg, key))
		} else {
			got = digest(librarySealed(libraryAEAD(t, alg, key)))
		}
		if got != knownAnswers[alg] {
			t.Errorf("ciphers.%v: %q", alg, got)
		}
	}
}

func librarySealed(a cipher.AEAD) []byte {
	arena, packets := testBurst(nil)
	for _, p := range packets {
		nonce := counting(nonceSize, 0x80)
		binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^p.Number)
		plain := p.Buf[p.Off:][:p.Len]
		a.Seal(plain[:0], nonce, plain, p.Buf[:p.AADLen])
	}
	return arena
}

func libraryMasks(t *testing.T, alg Algorithm, key []byte) []byte {
	_, packets := testBurst(nil)
	masks := make([]byte, 16*len(packets))
	for i := range packets {
		sample := packets[i].Sample()
		if alg == ciphers.MaskChaCha20 {
			c, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
			if err != nil {
				t.Fatal(err)
			}
			c.SetCounter(binary.LittleEndian.Uint32(sample))
			c.XORKeyStream(masks[16*i:][:16], masks[16*i:][:16])
			continue
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		block.Encrypt(masks[16*i:], sample)
	}
	return masks
}
