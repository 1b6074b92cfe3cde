package dataplane

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// age counts a packet's hop limit down, as whoever forwards does (RFC 1812 section 5.3.1,
// RFC 8200 section 3), and says why the packet may not go on. It has addresses.
func age(packet []byte) record.Drop {
	if packet[0]>>4 == 6 {
		if packet[7] <= 1 {
			return record.DropExpired
		}
		packet[7]--
		return record.DropNone
	}
	if !rightHeader(packet) {
		return record.DropMalformed
	}
	if packet[8] <= 1 {
		return record.DropExpired
	}
	word := packet[8:16]
	binary.BigEndian.PutUint64(word, ageWord(binary.BigEndian.Uint64(word)))
	return record.DropNone
}

// rightHeader reports whether an IPv4 header is whole and its checksum right.
func rightHeader(packet []byte) bool {
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
