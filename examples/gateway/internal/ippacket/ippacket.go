// Package ippacket reads what a gateway must know of an IP packet.
package ippacket

import "net/netip"

// Addresses are the source and destination of an IPv4 or IPv6 packet. It reports
// false for what is neither, or too short to have them.
func Addresses(packet []byte) (source, destination netip.Addr, ok bool) {
	switch {
	case len(packet) >= 20 && packet[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(packet[12:])), netip.AddrFrom4([4]byte(packet[16:])), true
	case len(packet) >= 40 && packet[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(packet[8:])), netip.AddrFrom16([16]byte(packet[24:])), true
	}
	return netip.Addr{}, netip.Addr{}, false
}
