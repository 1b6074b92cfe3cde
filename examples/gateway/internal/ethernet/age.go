package ethernet

import (
	"encoding/binary"
	"math/bits"

	"github.com/sealburst/sealburst/record"
)

// Age counts a packet's hop limit down, as whoever forwards does (RFC 1812 section 5.3.1,
// RFC 8200 section 3), and says why the packet may not go on. It has addresses.
func Age(packet []byte) record.Drop {
	if packet[0]>>4 == 6 {
		if packet[7] <= 1 {
			return record.DropExpired
		}
		packet[7]--
		return record.DropNone
	}
	if !RightHeader(packet) {
		return record.DropMalformed
	}
	if packet[8] <= 1 {
		return record.DropExpired
	}
	word := packet[8:16]
	binary.BigEndian.PutUint64(word, ageWord(binary.BigEndian.Uint64(word)))
	return record.DropNone
}

// RightHeader reports whether an IPv4 header is whole and its checksum right.
func RightHeader(packet []byte) bool {
	if packet[0] == 0x45 && len(packet) >= ipv4Size {
		head := packet[:ipv4Size]
		return rightWords(binary.BigEndian.Uint64(head), binary.BigEndian.Uint64(head[8:]), binary.BigEndian.Uint32(head[16:]))
	}
	var sum uint64
	size := int(packet[0]&15) * 4
	if size < ipv4Size || size > len(packet) {
		return false
	}
	for header := packet[:size]; len(header) >= 4; header = header[4:] {
		sum += uint64(binary.BigEndian.Uint32(header))
	}
	return sum%0xffff == 0
}

// rightWords reports whether the checksum of an IPv4 header of 20 bytes is right. With it,
// the words add up to 0 in ones' complement of 16 bits (RFC 1071), which is to say modulo
// 2^16-1, which divides 2^64-1.
func rightWords(a, b uint64, c uint32) bool {
	sum, carry := bits.Add64(a, b, 0)
	sum, carry = bits.Add64(sum, uint64(c), carry)
	return (sum+carry)%0xffff == 0
}

// ageWord counts the hop limit down in the second 8 bytes of an IPv4 header: hop limit,
// protocol, checksum, source. What shrinks by 0x100 has a checksum that grows by as much
// (RFC 1624), most often without a carry.
func ageWord(b uint64) uint64 {
	if uint16(b>>32) < 0xfeff {
		return b - 1<<56 + 0x100<<32
	}
	sum := uint32(^uint16(b>>32)) + 0xfeff
	return (b-1<<56)&^(0xffff<<32) | uint64(^uint16(sum+sum>>16))<<32
}
