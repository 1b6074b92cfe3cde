// Package udpip writes and reads UDP datagrams in IP packets, as captures hold them.
package udpip

import (
	"encoding/binary"
	"net/netip"
)

const (
	ipv4Size = 20
	ipv6Size = 40
	udpSize  = 8
	protocol = 17
	hopLimit = 64

	// HeaderSize is how many bytes Put writes before the payload.
	HeaderSize = ipv4Size + udpSize
	// MaxPayload is the longest payload that fits into a packet of Put.
	MaxPayload = 1<<16 - 1 - HeaderSize
)

// Put writes IPv4 and UDP headers, HeaderSize bytes, and copies the payload behind
// them. Both addresses are IPv4. It returns the packet's length; buf has room.
func Put(buf []byte, from, to netip.AddrPort, payload []byte) int {
	total := HeaderSize + len(payload)
	packet := buf[:total]
	clear(packet[:HeaderSize])
	packet[0] = 0x45
	binary.BigEndian.PutUint16(packet[2:], uint16(total))
	packet[6] = 0x40 // do not fragment
	packet[8] = hopLimit
	packet[9] = protocol
	source, destination := from.Addr().As4(), to.Addr().As4()
	copy(packet[12:], source[:])
	copy(packet[16:], destination[:])
	binary.BigEndian.PutUint16(packet[10:], ^fold(sum(0, packet[:ipv4Size])))

	udp := packet[ipv4Size:]
	binary.BigEndian.PutUint16(udp, from.Port())
	binary.BigEndian.PutUint16(udp[2:], to.Port())
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	copy(udp[udpSize:], payload)
	binary.BigEndian.PutUint16(udp[6:], checksum(packet[12:20], udp))
	return total
}

// checksum is that of a UDP datagram whose own is zero (RFC 768), between
// addresses that stand one after the other.
func checksum(addresses, udp []byte) uint16 {
	s := sum(uint32(protocol)+uint32(len(udp)), addresses)
	if c := ^fold(sum(s, udp)); c != 0 {
		return c
	}
	return 0xffff
}

func sum(s uint32, b []byte) uint32 {
	for len(b) > 1 {
		s += uint32(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	return s
}

func fold(s uint32) uint16 {
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return uint16(s)
}

// Datagram is a UDP datagram taken from an IP packet.
type Datagram struct {
	From, To netip.AddrPort
	Payload  []byte // in the packet's own memory
}

// Parse finds the UDP datagram in an IPv4 or IPv6 packet. It reports false for
// other packets, for fragments, and for what is shorter than its headers say.
// Checksums are not looked at.
func Parse(packet []byte) (Datagram, bool) {
	if len(packet) == 0 {
		return Datagram{}, false
	}
	if packet[0]>>4 == 6 {
		return parse6(packet)
	}
	return parse4(packet)
}

func parse4(packet []byte) (Datagram, bool) {
	if len(packet) < ipv4Size || packet[0]>>4 != 4 || packet[9] != protocol {
		return Datagram{}, false
	}
	header, total := int(packet[0]&15)*4, int(binary.BigEndian.Uint16(packet[2:]))
	fragment := binary.BigEndian.Uint16(packet[6:]) & 0x3fff // offset and more-fragments
	if header < ipv4Size || total < header || total > len(packet) || fragment != 0 {
		return Datagram{}, false
	}
	return parseUDP(packet[header:total], netip.AddrFrom4([4]byte(packet[12:])), netip.AddrFrom4([4]byte(packet[16:])))
}

// parse6 takes packets without extension headers.
func parse6(packet []byte) (Datagram, bool) {
	if len(packet) < ipv6Size || packet[6] != protocol {
		return Datagram{}, false
	}
	end := ipv6Size + int(binary.BigEndian.Uint16(packet[4:]))
	if end > len(packet) {
		return Datagram{}, false
	}
	return parseUDP(packet[ipv6Size:end], netip.AddrFrom16([16]byte(packet[8:])), netip.AddrFrom16([16]byte(packet[24:])))
}

func parseUDP(udp []byte, from, to netip.Addr) (Datagram, bool) {
	if len(udp) < udpSize {
		return Datagram{}, false
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < udpSize || length > len(udp) {
		return Datagram{}, false
	}
	return Datagram{
		From:    netip.AddrPortFrom(from, binary.BigEndian.Uint16(udp)),
		To:      netip.AddrPortFrom(to, binary.BigEndian.Uint16(udp[2:])),
		Payload: udp[udpSize:length],
	}, true
}
