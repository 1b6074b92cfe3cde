package ethernet

import (
	"encoding/binary"
	"math/bits"
)

// sum adds up 16-bit words in ones' complement (RFC 1071), eight bytes at a time.
func sum(s uint64, b []byte) uint64 {
	var carry uint64
	for len(b) >= 8 {
		s, carry = bits.Add64(s, binary.BigEndian.Uint64(b), carry)
		b = b[8:]
	}
	s, carry = bits.Add64(s, tail(b), carry)
	return uint64(fold(s+carry)) + overflow(s, carry)
}

// overflow is what s+carry loses.
func overflow(s, carry uint64) uint64 {
	_, lost := bits.Add64(s, carry, 0)
	return lost
}

// tail is up to 7 bytes as the beginning of a big-endian word.
func tail(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (56 - 8*i)
	}
	return v
}

func fold(s uint64) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

// pseudo is the sum of what a transport checksum covers of the IP header: both
// addresses, one after the other, the protocol and the length (RFC 8200 section 8.1).
func pseudo(addresses []byte, protocol byte, length int) uint64 {
	return sum(uint64(protocol)+uint64(length), addresses)
}

// headerChecksum is the checksum of an IPv4 header whose own is zero.
func headerChecksum(h []byte) uint16 { return ^fold(sum(0, h)) }
