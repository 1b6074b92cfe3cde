package ethernet

import (
	"encoding/binary"
	"net/netip"
)

const (
	ipv4Size    = 20
	ipv6Size    = 40
	protoICMP   = 1
	protoICMPv6 = 58
	hopLimit    = 64

	icmpHeader = 8
	// ErrorRoom is how many bytes in front of a packet an ICMP error about it needs.
	ErrorRoom = ipv6Size + icmpHeader

	echoRequest4, echoReply4 = 8, 0
	echoRequest6, echoReply6 = 128, 129
)

// putIPv6 writes a header for what fills the rest of packet.
func putIPv6(packet []byte, next, limit byte, source, destination netip.Addr) {
	binary.BigEndian.PutUint32(packet, 6<<28)
	binary.BigEndian.PutUint16(packet[4:], uint16(len(packet)-ipv6Size))
	packet[6], packet[7] = next, limit
	from, to := source.As16(), destination.As16()
	copy(packet[8:], from[:])
	copy(packet[24:], to[:])
}

// putChecksum6 gives an ICMPv6 message without extension headers its checksum.
func putChecksum6(packet []byte) {
	icmp := packet[ipv6Size:]
	icmp[2], icmp[3] = 0, 0
	binary.BigEndian.PutUint16(icmp[2:], ^fold(sum(pseudo(packet[8:40], protoICMPv6, len(icmp)), icmp)))
}

// rightICMP6 reports whether the checksum of an ICMPv6 message is right.
func rightICMP6(packet []byte) bool {
	icmp := packet[ipv6Size:]
	return fold(sum(pseudo(packet[8:40], protoICMPv6, len(icmp)), icmp)) == 0xffff
}

// echo4 makes of an echo request the reply to it, in place, and reports false for
// anything else. The header's options are left as they are.
func echo4(packet []byte, header int) bool {
	icmp := packet[header:]
	if len(icmp) < icmpHeader || icmp[0] != echoRequest4 || icmp[1] != 0 ||
		fold(sum(0, icmp)) != 0xffff || fold(sum(0, packet[:header])) != 0xffff {
		return false
	}
	swap(packet[12:16], packet[16:20])
	packet[8] = hopLimit
	packet[10], packet[11] = 0, 0
	binary.BigEndian.PutUint16(packet[10:], headerChecksum(packet[:header]))
	icmp[0], icmp[2], icmp[3] = echoReply4, 0, 0
	binary.BigEndian.PutUint16(icmp[2:], ^fold(sum(0, icmp)))
	return true
}

// echo6 is echo4 for IPv6, of a message whose checksum was found right.
func echo6(packet []byte) bool {
	icmp := packet[ipv6Size:]
	if len(icmp) < icmpHeader || icmp[0] != echoRequest6 || icmp[1] != 0 {
		return false
	}
	swap(packet[8:24], packet[24:40])
	packet[7] = hopLimit
	icmp[0] = echoReply6
	putChecksum6(packet)
	return true
}

// swap exchanges two ranges of one length.
func swap(a, b []byte) {
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}
