//go:build !purego

package aesgcm

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/aeskey"
)

//go:generate env GOWORK=off go run -C _asm . -part expand

// A schedule is what the kernels keep for a key, in whole cache lines:
//
//	  0  H^41 down to H^1, 16 bytes each
//	656  the round keys, 11 or 15 of 16 bytes
//
// Descending powers make any 64-byte load the four that a register of
// ciphertext needs, and where they start keeps those loads inside cache lines
// when the payload fills its registers: loads across lines cost as much as two. 41
// powers cover 576 bytes of payload with its associated data; whole chunks of 512
// bytes use every fourth one. What small packets need lies together. Powers are
// stored times x, since products of bit-reflected operands come out divided by x.
const (
	numPowers      = 41
	scheduleRounds = 16 * numPowers
)

// scheduleSize is the size of a schedule for a key of 16 or 32 bytes: 832 or
// 896 bytes.
func scheduleSize(keySize int) int { return scheduleRounds + aeskey.Size(keySize) }

// expand fills st for spec.
func expand(st *ciphers.State, spec *ciphers.KeySpec) {
	s := st.Schedule()
	aeskey.Expand(s[scheduleRounds:], spec.Key)
	expandPowers(&s[0], aeskey.Rounds(len(spec.Key)))
}

// expandPowers makes the powers of H from the round keys.
//
//go:noescape
func expandPowers(schedule *byte, rounds int)
