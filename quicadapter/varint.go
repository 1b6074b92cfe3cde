package quicadapter

import "encoding/binary"

// varint reads a variable-length integer (RFC 9000 section 16) and says how many bytes
// it took, 0 when src ends too early.
func varint(src []byte) (value uint64, size int) {
	if len(src) == 0 {
		return 0, 0
	}
	size = 1 << (src[0] >> 6)
	if len(src) < size {
		return 0, 0
	}
	value = uint64(src[0] & 0x3f)
	for _, b := range src[1:size] {
		value = value<<8 | uint64(b)
	}
	return value, size
}

// varintSize is the length of the shortest form of value, which is below 2^30.
func varintSize(value int) int {
	switch {
	case value < 1<<6:
		return 1
	case value < 1<<14:
		return 2
	}
	return 4
}

// putVarint writes value in size bytes, 1, 2 or 4, which hold it.
func putVarint(dst []byte, value, size int) {
	switch size {
	case 1:
		dst[0] = byte(value)
	case 2:
		binary.BigEndian.PutUint16(dst, 0x4000|uint16(value))
	case 4:
		binary.BigEndian.PutUint32(dst, 0x80000000|uint32(value))
	}
}
