// Package pnum shortens record numbers for the wire and recovers them: QUIC
// packet numbers (RFC 9000 section 17.1, appendices A.2 and A.3), DTLS 1.3
// sequence numbers (RFC 9147 section 4.2.2), and the high half of ESP's extended
// sequence numbers (RFC 4303 appendix A2).
//
// Every recovery answers with a number, for any input: whether it is the right
// one, authentication tells. Lengths are in bytes.
package pnum

import "errors"

// None stands for the highest number where there is none yet.
const None = ^uint64(0)

// The highest numbers of the formats.
const (
	MaxQUIC   uint64 = 1<<62 - 1 // RFC 9000 section 12.3
	MaxDTLS13 uint64 = 1<<48 - 1 // RFC 9147 section 4.2.1
)

// ErrRange says that a number is above the format's highest, is not above the
// number that was acknowledged, or is too far above it to be shortened.
var ErrRange = errors.New("pnum: packet number out of range")

// Put writes the low-order bytes of number into dst, as many as dst has, in
// network order.
func Put(dst []byte, number uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte(number)
		number >>= 8
	}
}

// Get reads what Put wrote, from at most 8 bytes.
func Get(src []byte) uint64 {
	var number uint64
	for _, b := range src {
		number = number<<8 | uint64(b)
	}
	return number
}

// nearest is the number closest to want, of those from 0 to limit whose low bits
// are truncated. Of two that are equally close it is the higher. The limit is all
// ones, and want is not above it, so neither is the first candidate.
func nearest(truncated uint64, bits uint, want, limit uint64) uint64 {
	window := uint64(1) << bits
	half := window / 2
	number := want&^(window-1) | truncated&(window-1)
	if number+half <= want && number+window <= limit {
		return number + window
	}
	if number > want+half && number >= window {
		return number - window
	}
	return number
}
