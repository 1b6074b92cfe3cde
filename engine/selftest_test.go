package engine

import (
	"encoding/binary"
	"slices"
	"testing"

	"crypto/cipher"

	"github.com/sealburst/sealburst/ciphers"
)

// packetAlgorithms are the AEADs that are one cipher, and the masks.
func packetAlgorithms() []Algorithm {
	return slices.DeleteFunc(ciphers.Algorithms(), func(a Algorithm) bool {
		return a.IsExchange() || a.Encryption() != 0
	})
}

func TestKnownAnswersAreTheLibraries(t *testing.T) {
	for _, alg := range packetAlgorithms() {
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

func libraryMasks(t *testing.T, alg Algorithm, key []byte) (masks []byte) {
	_, packets := testBurst(nil)
	for i := range packets {
		masks = append(masks, libraryMask(t, alg, key, packets[i].Sample())...)
	}
	return masks
}
