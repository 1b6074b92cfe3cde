package pnum

// ESN recovers an extended sequence number from its low half, when highest is the
// highest one authenticated (0 before the first, since ESP counts from 1) and the
// replay window remembers window numbers, at least 1 (RFC 4303 appendix A2.2).
//
// Low halves from the bottom of the window upwards count from there; those below
// it belong to the next 2^32. At either end of the range, where such a number
// does not exist, the half counts in the 2^32 of highest.
func ESN(low uint32, highest uint64, window uint32) uint64 {
	bottom := highest - uint64(window) + 1 // wraps below 0 in the first window
	number := bottom&^(1<<32-1) | uint64(low)
	if low < uint32(bottom) {
		number += 1 << 32
	}
	belowZero := bottom > highest && number >= bottom
	aboveMax := bottom <= highest && number < bottom
	if belowZero || aboveMax {
		return highest&^(1<<32-1) | uint64(low)
	}
	return number
}
