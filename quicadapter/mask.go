package quicadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record/pnum"
)

// maskFirst applies a mask to a first byte: to the low four bits of a long header, and to
// one more of a short one. The form bit stays clear (RFC 9001 section 5.4.1).
func maskFirst(first, mask byte) byte { return first ^ mask&(shortProtect>>(first>>7)) }

// A number and what stands behind it are one word of four bytes, since the sample follows
// them. numberShift is how many bits of it are not the number's.
func numberShift(size int) uint { return uint(8*(pnum.MaxQUICLength-size)) & 31 }

// protect applies a mask, of which it takes the first 8 bytes, to a header whose number
// takes size bytes at off. The first byte of the mask is the first byte's, those behind it
// the number's.
func protect(b []byte, off, size int, mask uint64) {
	word := b[off : off+4]
	b[0] = maskFirst(b[0], byte(mask>>56))
	bits := uint32(mask>>24) & (^uint32(0) << numberShift(size))
	binary.BigEndian.PutUint32(word, binary.BigEndian.Uint32(word)^bits)
}

// unprotect removes a mask, of which it takes the first 8 bytes, from a header whose number
// starts at off, and returns the number as far as it is there, and its length, which the
// first byte tells once it is clear.
func unprotect(b []byte, off int, mask uint64) (truncated uint64, size int) {
	word := b[off : off+4]
	first := maskFirst(b[0], byte(mask>>56))
	b[0] = first
	shift := ^first & numberBits * 8 // see numberShift
	plain := binary.BigEndian.Uint32(word) ^ uint32(mask>>24)>>shift<<shift
	binary.BigEndian.PutUint32(word, plain)
	return uint64(plain >> shift), int(first&numberBits) + 1
}
