//go:build !purego

package aesgcm

import (
	"encoding/binary"
	"math/bits"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate sh -c "cd _asm && GOWORK=off go run . -part expand -out ../expand_amd64.s -pkg aesgcm"

// A schedule is what the kernels keep for a key, in whole cache lines:
//
//	  0  H^40 down to H^1, 16 bytes each
//	640  the tag: a bit for each byte, then its length, 8 bytes each
//	656  the round keys, 11 or 15 of 16 bytes
//
// Descending powers make any 64-byte load the four that a register of
// ciphertext needs. 40 of them cover 576 bytes of payload with its associated
// data; whole chunks of 512 bytes use every fourth one. What small packets need
// lies together. Powers are stored times x, since products of bit-reflected
// operands come out divided by x.
const (
	numPowers      = 40
	scheduleTag    = 16 * numPowers
	scheduleRounds = scheduleTag + 16
)

// scheduleSize is the size of a schedule for a key of 16 or 32 bytes: 832 or
// 896 bytes.
func scheduleSize(keySize int) int { return scheduleRounds + 16*(rounds(keySize)+1) }

func rounds(keySize int) int { return keySize/4 + 6 }

// expand fills st for spec.
func expand(st *ciphers.State, spec *ciphers.KeySpec) {
	tag := spec.TagSize
	if tag == 0 {
		tag = fullTag
	}
	s := st.Schedule()
	binary.LittleEndian.PutUint64(s[scheduleTag:], 1<<tag-1)
	binary.LittleEndian.PutUint64(s[scheduleTag+8:], uint64(tag))
	expandRounds(s[scheduleRounds:], spec.Key)
	expandPowers(&s[0], rounds(len(spec.Key)))
}

// expandRounds is the key expansion of FIPS 197 section 5.2, on words in memory
// order.
func expandRounds(w, key []byte) {
	n := copy(w, key)
	constant := uint32(1)
	for i := n; i < len(w); i += 4 {
		t := binary.LittleEndian.Uint32(w[i-4:])
		switch {
		case i%n == 0:
			t = subWord(bits.RotateLeft32(t, -8)) ^ constant
			constant = constant<<1 ^ constant>>7*0x11b
		case n == 32 && i%n == 16:
			t = subWord(t)
		}
		binary.LittleEndian.PutUint32(w[i:], binary.LittleEndian.Uint32(w[i-n:])^t)
	}
}

// subWord puts each byte of w through the S-box of AES.
func subWord(w uint32) uint32

// expandPowers makes the powers of H from the round keys.
//
//go:noescape
func expandPowers(schedule *byte, rounds int)
