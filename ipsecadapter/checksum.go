package ipsecadapter

import (
	"encoding/binary"
	"math/bits"
)

// sum adds b to a ones' complement sum (RFC 1071), 8 bytes at a time: the carries come
// out the same.
func sum(b []byte, initial uint64) uint64 {
	total, carry := initial, uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		total, carry = bits.Add64(total, binary.BigEndian.Uint64(b), carry)
	}
	var last [8]byte
	copy(last[:], b)
	total, carry = bits.Add64(total, binary.BigEndian.Uint64(last[:]), carry)
	total, carry = bits.Add64(total, 0, carry)
	return total + carry
}

// fold makes a checksum of a sum.
func fold(total uint64) uint16 {
	total = total>>32 + total&0xffffffff
	total = total>>16 + total&0xffff
	total = total>>16 + total&0xffff
	total = total>>16 + total&0xffff
	return ^uint16(total)
}

// headerChecksum is the checksum of an IPv4 header, whose length is a multiple of 4.
func headerChecksum(header []byte) uint16 {
	var total uint64
	for ; len(header) >= 4; header = header[4:] {
		total += uint64(binary.BigEndian.Uint32(header))
	}
	return fold(total)
}

// setChecksum writes the checksum of an IPv4 header.
func setChecksum(header []byte) {
	header[10], header[11] = 0, 0
	binary.BigEndian.PutUint16(header[10:], headerChecksum(header))
}

// rightChecksum reports whether an IPv4 header has its checksum.
func rightChecksum(header []byte) bool { return headerChecksum(header) == 0 }

// rightWords is rightChecksum for a header of 20 bytes in words, not all of them zero: a sum
// that folds to FFFF is a multiple of it.
func rightWords(first, second, last uint64) bool {
	return (first>>32+first&(1<<32-1)+second>>32+second&(1<<32-1)+last)%0xffff == 0
}

// udpIPv6Checksum is the checksum of a UDP datagram between two IPv6 addresses
// (RFC 8200 section 8.1), whose own field is zero.
func udpIPv6Checksum(addresses, datagram []byte) uint16 {
	total := sum(addresses, uint64(len(datagram))+protoUDP)
	if c := fold(sum(datagram, total)); c != 0 {
		return c
	}
	return 0xffff
}
