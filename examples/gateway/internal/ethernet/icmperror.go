package ethernet

import (
	"encoding/binary"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

// What ICMP errors say, and how much of the packet they quote (RFC 1812 section
// 4.3.2.3, RFC 4443 section 2.4).
const (
	unreachable4, fragmentationNeeded4 = 3, 4
	timeExceeded4                      = 11
	packetTooBig6, timeExceeded6       = 2, 3

	maxError4 = 576
	maxError6 = 1280
)

// TooBig makes of an IP packet from the network, behind its frame's header, the frame
// that tells its sender the longest packet that goes on (RFC 1191, RFC 8201). It reports
// false and leaves the packet alone when nobody may be told.
func (h *Host) TooBig(d *record.Datagram, mtu int) bool {
	if isIPv4(d) {
		return d.Content()[6]&0x40 != 0 && h.complain4(d, unreachable4, fragmentationNeeded4, uint32(mtu))
	}
	return h.complain6(d, packetTooBig6, uint32(mtu))
}

// TimeExceeded does the same for a packet that has been forwarded too often.
func (h *Host) TimeExceeded(d *record.Datagram) bool {
	if isIPv4(d) {
		return h.complain4(d, timeExceeded4, 0, 0)
	}
	return h.complain6(d, timeExceeded6, 0)
}

func isIPv4(d *record.Datagram) bool { return d.Buf[d.Off]>>4 == 4 }

func (h *Host) complain4(d *record.Datagram, kind, code byte, rest uint32) bool {
	packet := d.Content()
	from := netip.AddrFrom4([4]byte(packet[12:]))
	own := h.Source(from)
	if !own.IsValid() || !mayComplain4(packet, from) || d.Off < ErrorRoom+HeaderSize {
		return false
	}
	to := MAC(d.Buf[d.Off-HeaderSize+6:])
	quoted := min(d.Len, maxError4-ipv4Size-icmpHeader)
	d.Off, d.Len = d.Off-ipv4Size-icmpHeader, quoted+ipv4Size+icmpHeader
	putError4(d.Content(), kind, code, rest, own, from)
	h.send(d, to, typeIPv4)
	return true
}

func putError4(packet []byte, kind, code byte, rest uint32, own, to netip.Addr) {
	head := packet[:ipv4Size]
	clear(packet[:ipv4Size+icmpHeader])
	head[0], head[8], head[9] = 0x45, hopLimit, protoICMP
	binary.BigEndian.PutUint16(head[2:], uint16(len(packet)))
	source, destination := own.As4(), to.As4()
	copy(head[12:], source[:])
	copy(head[16:], destination[:])
	binary.BigEndian.PutUint16(head[10:], headerChecksum(head))
	icmp := packet[ipv4Size:]
	icmp[0], icmp[1] = kind, code
	binary.BigEndian.PutUint32(icmp[4:], rest)
	binary.BigEndian.PutUint16(icmp[2:], ^fold(sum(0, icmp)))
}

// mayComplain4 reports whether an error about a packet may be sent (RFC 1812 section
// 4.3.2.7).
func mayComplain4(packet []byte, from netip.Addr) bool {
	header := int(packet[0]&15) * 4
	switch {
	case from.IsUnspecified() || from.IsMulticast() || from.IsLoopback():
		return false
	case binary.BigEndian.Uint16(packet[6:])&0x1fff != 0: // not the first fragment
		return false
	case packet[9] == protoICMP:
		return len(packet) > header && (packet[header] == echoRequest4 || packet[header] == echoReply4)
	}
	return true
}

func (h *Host) complain6(d *record.Datagram, kind byte, rest uint32) bool {
	packet := d.Content()
	from := netip.AddrFrom16([16]byte(packet[8:]))
	own := h.Source(from)
	if !own.IsValid() || !mayComplain6(packet, from) || d.Off < ErrorRoom+HeaderSize {
		return false
	}
	to := MAC(d.Buf[d.Off-HeaderSize+6:])
	quoted := min(d.Len, maxError6-ipv6Size-icmpHeader)
	d.Off, d.Len = d.Off-ipv6Size-icmpHeader, quoted+ipv6Size+icmpHeader
	whole := d.Content()
	putIPv6(whole, protoICMPv6, hopLimit, own, from)
	icmp := whole[ipv6Size:]
	icmp[0], icmp[1] = kind, 0
	binary.BigEndian.PutUint32(icmp[4:], rest)
	putChecksum6(whole)
	h.send(d, to, typeIPv6)
	return true
}

// mayComplain6 is mayComplain4 for IPv6 (RFC 4443 section 2.4).
func mayComplain6(packet []byte, from netip.Addr) bool {
	if from.IsUnspecified() || from.IsMulticast() || from.IsLoopback() {
		return false
	}
	isError := packet[6] == protoICMPv6 && (len(packet) <= ipv6Size || packet[ipv6Size] < echoRequest6)
	return !isError
}

// send makes an IP packet a frame to a host whose address is known.
func (h *Host) send(d *record.Datagram, to MAC, ether uint16) {
	d.Off, d.Len, d.Drop = d.Off-HeaderSize, d.Len+HeaderSize, record.DropNone
	putHeader(d.Buf[d.Off:d.Off+HeaderSize], to, h.config.MAC, ether)
}
