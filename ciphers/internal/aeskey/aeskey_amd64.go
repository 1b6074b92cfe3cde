//go:build !purego

package aeskey

import (
	"encoding/binary"
	"math/bits"
)

//go:generate env GOWORK=off go run -C _asm main.go

// Rounds is how many rounds AES has with a key of 16, 24 or 32 bytes.
func Rounds(keySize int) int { return keySize/4 + 6 }

// Size is the bytes of all round keys for a key of that many bytes: one of 16
// bytes more than there are rounds.
func Size(keySize int) int { return 16 * (Rounds(keySize) + 1) }

// Expand fills schedule, of Size(len(key)) bytes, with the round keys of key in the
// order of encryption (FIPS 197 section 5.2). It takes the same time for all keys
// of a length. The processor must have AES-NI and AVX.
func Expand(schedule, key []byte) {
	n := copy(schedule, key)
	constant := uint32(1)
	for i := n; i < len(schedule); i += 4 {
		w := binary.LittleEndian.Uint32(schedule[i-4:])
		switch {
		case i%n == 0:
			w = subWord(bits.RotateLeft32(w, -8)) ^ constant
			constant = constant<<1 ^ constant>>7*0x11b
		case n == 32 && i%n == 16:
			w = subWord(w)
		}
		binary.LittleEndian.PutUint32(schedule[i:], binary.LittleEndian.Uint32(schedule[i-n:])^w)
	}
}

// subWord puts each byte of w through the S-box of AES.
func subWord(w uint32) uint32
