package dataplane

import (
	"encoding/binary"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

const (
	ipv4Size = 20
	ipv6Size = 40
	udpSize  = 8
	protoUDP = 17
	hopLimit = 64
)

// outer is the headers of IP and UDP in front of the datagrams to one peer.
type outer struct {
	bytes [ipv6Size + udpSize]byte
	size  int
	sum   uint32 // of an IPv4 header without its length
}

func newOuter(from, to netip.AddrPort) (o outer) {
	source, destination := from.Addr().Unmap().AsSlice(), to.Addr().Unmap().AsSlice()
	h := o.bytes[:]
	if len(source) == 4 {
		o.size = ipv4Size + udpSize
		h[0], h[6], h[8], h[9] = 0x45, 0x40, hopLimit, protoUDP // never to be fragmented
		copy(h[12:], source)
		copy(h[16:], destination)
		for i := 0; i < ipv4Size; i += 2 {
			o.sum += uint32(binary.BigEndian.Uint16(h[i:]))
		}
	} else {
		o.size = ipv6Size + udpSize
		h[0], h[6], h[7] = 0x60, protoUDP, hopLimit
		copy(h[8:], source)
		copy(h[24:], destination)
	}
	udp := h[o.size-udpSize:]
	binary.BigEndian.PutUint16(udp, from.Port())
	binary.BigEndian.PutUint16(udp[2:], to.Port())
	return o
}

// put puts the headers in front of a datagram's content. A UDP checksum is left to the
// device, or else to finish.
func (o *outer) put(d *record.Datagram) {
	if d.Off < o.size {
		d.Drop = record.DropHeadroom
		return
	}
	length := udpSize + d.Len
	d.Off, d.Len = d.Off-o.size, d.Len+o.size
	packet := d.Content()
	copy(packet, o.bytes[:o.size])
	binary.BigEndian.PutUint16(packet[o.size-4:], uint16(length))
	if o.size == ipv6Size+udpSize {
		binary.BigEndian.PutUint16(packet[4:], uint16(length))
		return
	}
	binary.BigEndian.PutUint16(packet[2:], uint16(d.Len))
	sum := o.sum + uint32(d.Len)
	sum = sum&0xffff + sum>>16
	binary.BigEndian.PutUint16(packet[10:], ^uint16(sum+sum>>16))
}

// checkUDP fills in the checksum of a UDP packet over IPv6, which must have one. Over
// IPv4 none is needed (RFC 768), and DTLS protects the content.
func checkUDP(packet []byte) {
	if packet[0]>>4 != 6 {
		return
	}
	udp := packet[ipv6Size:]
	sum := uint64(protoUDP) + uint64(len(udp))
	for _, part := range [][]byte{packet[8:ipv6Size], udp} {
		for ; len(part) >= 4; part = part[4:] {
			sum += uint64(binary.BigEndian.Uint32(part))
		}
		for i, c := range part {
			sum += uint64(c) << (24 - 8*i)
		}
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	if sum = ^sum & 0xffff; sum == 0 {
		sum = 0xffff
	}
	binary.BigEndian.PutUint16(udp[6:], uint16(sum))
}
