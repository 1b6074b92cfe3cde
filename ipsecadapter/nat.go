package ipsecadapter

import (
	"encoding/binary"
	"net/netip"
)

// originals are the addresses that a packet had before NATs changed them, as a ones'
// complement sum. Transport mode through a NAT needs them: the checksums of TCP and UDP
// cover the addresses that the sender saw (RFC 3948 section 3.1.2).
type originals struct {
	known bool
	sum   uint16
}

func originalsOf(source, destination netip.Addr) originals {
	if !source.IsValid() {
		return originals{}
	}
	return originals{true, ^fold(sum(append(source.AsSlice(), destination.AsSlice()...), 0))}
}

// repair changes the checksum of an opened packet by what the addresses changed by. One
// that was wrong stays wrong.
func (o *originals) repair(packet []byte, h *ipHeader) {
	protocol, at := h.protocol, h.size
	if h.v6 {
		protocol, at, _ = upperLayer(packet, h.protocol)
	}
	field := at + 6 // of UDP
	if protocol == protoTCP {
		field = at + 16
	} else if protocol != protoUDP {
		return
	}
	if field+2 > len(packet) {
		return
	}
	old := binary.BigEndian.Uint16(packet[field:])
	if protocol == protoUDP && old == 0 { // the sender made none
		return
	}
	source, destination := addresses(packet, h.v6)
	now := ^fold(sum(destination, sum(source, 0)))
	repaired := fold(uint64(^old) + uint64(^o.sum) + uint64(now))
	if protocol == protoUDP && repaired == 0 {
		repaired = 0xffff
	}
	binary.BigEndian.PutUint16(packet[field:], repaired)
}
