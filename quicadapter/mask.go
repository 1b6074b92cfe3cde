package quicadapter

// maskFirst applies a mask to a first byte, whose form bit stays clear (RFC 9001 section
// 5.4.1).
func maskFirst(first byte, mask []byte) byte {
	if first&longForm != 0 {
		return first ^ mask[0]&longProtected
	}
	return first ^ mask[0]&shortProtect
}

// protect applies a mask to a header whose number takes size bytes at off. The first
// byte of the mask is the first byte's, the others are the number's.
func protect(b []byte, off, size int, mask []byte) {
	b[0] = maskFirst(b[0], mask)
	for i := range size {
		b[off+i] ^= mask[1+i]
	}
}

// unprotect removes a mask from a header whose number starts at off, and returns the
// number's length, which the first byte tells once it is clear.
func unprotect(b []byte, off int, mask []byte) (size int) {
	first := maskFirst(b[0], mask)
	size = int(first&numberBits) + 1
	protect(b, off, size, mask)
	return size
}
