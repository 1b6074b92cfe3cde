package dataplane

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

const etherHeader = 14

// flowOf is a number that all packets of a flow have in common: those with the same
// addresses, protocol and ports or SPI. Fragments, of which only the first has
// ports, go by their addresses alone, and so do packets with IPv6 extension headers.
func flowOf(d *record.Datagram) uint64 {
	if !d.Valid() || d.Len < etherHeader+40 {
		return 0
	}
	frame := d.Content()
	packet := frame[etherHeader:]
	switch binary.BigEndian.Uint16(frame[12:]) {
	case 0x0800:
		return flow4(packet)
	case 0x86dd:
		return flow6(packet)
	}
	return 0
}

func flow4(packet []byte) uint64 {
	h := mix(0, binary.BigEndian.Uint64(packet[12:]))
	header := int(packet[0]&15) * 4
	if whole := binary.BigEndian.Uint16(packet[6:])&0x3fff == 0; !whole {
		return h
	}
	return mix(h, ports(packet, header, packet[9]))
}

func flow6(packet []byte) uint64 {
	h := mix(0, binary.BigEndian.Uint64(packet[8:]))
	h = mix(h, binary.BigEndian.Uint64(packet[16:]))
	h = mix(h, binary.BigEndian.Uint64(packet[24:]))
	h = mix(h, binary.BigEndian.Uint64(packet[32:]))
	return mix(h, ports(packet, 40, packet[6]))
}

// ports are what tells flows of one protocol apart: TCP and UDP have their ports there,
// ESP its SPI.
func ports(packet []byte, header int, protocol byte) uint64 {
	const tcp, udp, esp = 6, 17, 50
	if protocol != tcp && protocol != udp && protocol != esp || len(packet) < header+4 {
		return uint64(protocol)
	}
	return uint64(protocol)<<32 | uint64(binary.BigEndian.Uint32(packet[header:]))
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
