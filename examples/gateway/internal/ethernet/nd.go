package ethernet

import (
	"encoding/binary"
	"net/netip"
)

// Neighbour solicitations and advertisements (RFC 4861 sections 4.3 and 4.4):
//
//	type  code 0  checksum (2)  flags or zero (4)  target (16)  options
const (
	ndSolicitation  = 135
	ndAdvertisement = 136
	ndHeader        = 24
	ndOption        = 8 // of a hardware address of six bytes
	ndSourceMAC     = 1
	ndTargetMAC     = 2
	ndHopLimit      = 255 // section 7.1: others come from beyond the link

	ndSolicited = 0x6000_0000 // flags solicited and override
	ndFrame     = HeaderSize + ipv6Size + ndHeader + ndOption
)

type neighbourMessage struct {
	kind   byte
	target netip.Addr
	mac    MAC // of the source link-layer or target link-layer option
	known  bool
}

// parseND reads a solicitation or an advertisement from an ICMPv6 message whose
// checksum was found right. It reports false for others, and malformed ones.
func parseND(icmp []byte, hopLimit byte) (m neighbourMessage, ok bool) {
	if len(icmp) < ndHeader || icmp[1] != 0 || hopLimit != ndHopLimit {
		return m, false
	}
	m.kind, m.target = icmp[0], netip.AddrFrom16([16]byte(icmp[8:]))
	wanted := byte(ndSourceMAC)
	if m.kind == ndAdvertisement {
		wanted = ndTargetMAC
	}
	for rest := icmp[ndHeader:]; len(rest) >= ndOption; {
		size := 8 * int(rest[1])
		if size == 0 || size > len(rest) {
			return m, false
		}
		if rest[0] == wanted && size == ndOption {
			m.mac, m.known = MAC(rest[2:]), rest[2]&1 == 0
		}
		rest = rest[size:]
	}
	return m, (m.kind == ndSolicitation || m.kind == ndAdvertisement) && !m.target.IsMulticast()
}

// putND writes a whole frame with a neighbour message in it.
func putND(b []byte, kind byte, own, to MAC, source, destination, target netip.Addr) {
	frame := b[:ndFrame]
	clear(frame)
	putHeader(frame, to, own, typeIPv6)
	packet := frame[HeaderSize:]
	putIPv6(packet, protoICMPv6, ndHopLimit, source, destination)
	icmp := packet[ipv6Size:]
	icmp[0] = kind
	option := byte(ndSourceMAC)
	if kind == ndAdvertisement {
		option = ndTargetMAC
		binary.BigEndian.PutUint32(icmp[4:], ndSolicited)
	}
	t := target.As16()
	copy(icmp[8:], t[:])
	icmp[ndHeader], icmp[ndHeader+1] = option, 1
	copy(icmp[ndHeader+2:], own[:])
	putChecksum6(packet)
}

// solicitedNode is the multicast address on which a host hears solicitations for its
// address (RFC 4291 section 2.7.1), and that of the frame (RFC 2464 section 7).
func solicitedNode(target netip.Addr) (netip.Addr, MAC) {
	t := target.As16()
	group := netip.AddrFrom16([16]byte{0xff, 0x02, 11: 1, 12: 0xff, 13: t[13], 14: t[14], 15: t[15]})
	return group, MAC{0x33, 0x33, 0xff, t[13], t[14], t[15]}
}
