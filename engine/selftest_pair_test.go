package engine

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/blowfish"
)

// pairAlgorithms are the algorithms of two parts.
func pairAlgorithms() (all []Algorithm) {
	for _, alg := range ciphers.Algorithms() {
		if alg.Integrity() != 0 {
			all = append(all, alg)
		}
	}
	return all
}

// TestPairAnswersAreTheLibraries makes each digest anew from the standard library
// and x/crypto, by the algorithm's name and without package ciphers.
func TestPairAnswersAreTheLibraries(t *testing.T) {
	for _, alg := range pairAlgorithms() {
		name := alg.String()
		arena := counting(len(testSizes)*testSlot, 7)
		for i := range testSizes {
			libraryPair(t, name, arena[i*testSlot:][:testSlot], i)
		}
		if got := digest(arena); got != pairAnswers[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
	if len(pairAnswers) != len(pairAlgorithms()) {
		t.Errorf("%d known answers for %d algorithms", len(pairAnswers), len(pairAlgorithms()))
	}
}

// libraryPair does to a slot what sealing packet i must do.
func libraryPair(t *testing.T, name string, slot []byte, i int) {
	at := strings.Index(name, "hmac-")
	mac, icv := libraryHMAC(name[at:])
	var covered []byte
	if at == 0 { // AH: the data stand behind the ICV
		covered = slot[testHeader+icv:][:testSizes[i]]
	} else {
		covered = libraryESP(t, name[:at-1], slot, i)
	}
	mac.Write(covered)
	mac.Write([]byte{byte(i), 1, 2, 3})
	end := testHeader + libraryLength(name[:max(at-1, 0)], i)
	copy(slot[end:], mac.Sum(nil)[:icv])
}

func libraryLength(encryption string, i int) int {
	switch size := testSizes[i]; {
	case encryption == "":
		return 0
	case strings.HasPrefix(encryption, "aes-") && strings.HasSuffix(encryption, "-cbc"):
		return size &^ 15
	case strings.HasSuffix(encryption, "-cbc"):
		return size &^ 7
	default:
		return size
	}
}

// libraryESP encrypts a slot in place and returns what its ICV covers.
func libraryESP(t *testing.T, encryption string, slot []byte, i int) []byte {
	payload := slot[testHeader:][:libraryLength(encryption, i)]
	iv := 0
	switch {
	case encryption == "null":
	case strings.HasSuffix(encryption, "-ctr"):
		iv = 8
		wire := slot[testHeader-iv : testHeader]
		binary.BigEndian.PutUint64(wire, uint64(i)<<(3*i))
		counter := append(append(counting(4, 0x80), wire...), 0, 0, 0, 1)
		cipher.NewCTR(libraryBlock(t, encryption), counter).XORKeyStream(payload, payload)
	default:
		block := libraryBlock(t, encryption)
		iv = block.BlockSize()
		wire := slot[testHeader-iv : testHeader]
		copy(wire, counting(iv, byte(0xa0+i)))
		cipher.NewCBCEncrypter(block, wire).CryptBlocks(payload, payload)
	}
	covered := append([]byte(nil), slot[:testHeader-iv-i&1]...)
	return append(append(covered, slot[testHeader-iv:testHeader]...), payload...)
}

func libraryBlock(t *testing.T, encryption string) cipher.Block {
	t.Helper()
	sizes := map[string]int{"aes-128": 16, "aes-192": 24, "aes-256": 32, "3des": 24, "des": 8, "blowfish": 16}
	name := encryption[:len(encryption)-4]
	key := counting(sizes[name], 0)
	var block cipher.Block
	var err error
	switch name {
	case "3des":
		block, err = des.NewTripleDESCipher(key)
	case "des":
		block, err = des.NewCipher(key)
	case "blowfish":
		block, err = blowfish.NewCipher(key)
	default:
		block, err = aes.NewCipher(key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// libraryHMAC is the keyed HMAC of that name and the length of its ICV.
func libraryHMAC(name string) (hash.Hash, int) {
	switch name {
	case "hmac-sha-256-128":
		return hmac.New(sha256.New, counting(32, 0x40)), 16
	case "hmac-sha-384-192":
		return hmac.New(sha512.New384, counting(48, 0x40)), 24
	case "hmac-sha-512-256":
		return hmac.New(sha512.New, counting(64, 0x40)), 32
	case "hmac-sha-1-96":
		return hmac.New(sha1.New, counting(20, 0x40)), 12
	}
	return hmac.New(md5.New, counting(16, 0x40)), 12
}
