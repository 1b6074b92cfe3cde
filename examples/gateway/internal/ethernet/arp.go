package ethernet

import (
	"encoding/binary"
	"net/netip"
)

// An ARP packet for IPv4 over Ethernet (RFC 826):
//
//	hardware 1 (2)  protocol 0x0800 (2)  lengths 6, 4  operation (2)
//	sender's MAC (6)  sender's address (4)  target's MAC (6)  target's address (4)
const (
	arpSize    = 28
	arpPrefix  = 0x0001_0800_0604 // hardware, protocol, lengths
	arpRequest = 1
	arpReply   = 2
)

type arp struct {
	operation      uint16
	senderMAC      MAC
	sender, target netip.Addr
}

// parseARP reads an ARP packet, and reports false for any that is not for IPv4
// over Ethernet or whose sender is nobody in particular.
func parseARP(b []byte) (a arp, ok bool) {
	if len(b) < arpSize || binary.BigEndian.Uint64(b)>>16 != arpPrefix {
		return a, false
	}
	a = arp{
		operation: binary.BigEndian.Uint16(b[6:]), senderMAC: MAC(b[8:]),
		sender: netip.AddrFrom4([4]byte(b[14:])), target: netip.AddrFrom4([4]byte(b[24:])),
	}
	return a, !a.senderMAC.group()
}

// putARP writes a whole frame with an ARP packet in it.
func putARP(b []byte, operation uint16, from, to MAC, sender, target netip.Addr) {
	frame := b[:MinFrame]
	clear(frame)
	putHeader(frame, to, from, typeARP)
	p := frame[HeaderSize:]
	binary.BigEndian.PutUint64(p, arpPrefix<<16|uint64(operation))
	source, destination := sender.As4(), target.As4()
	copy(p[8:], from[:])
	copy(p[14:], source[:])
	if operation == arpReply {
		copy(p[18:], to[:])
	}
	copy(p[24:], destination[:])
}
