package ipsecadapter

import "encoding/binary"

const defaultHopLimit = 64

// outer writes the headers of a tunnel from a template. An IPv6 flow label is zero.
type outer struct {
	header [ipv6Size + udpSize]byte // with all that never changes
	sum    uint32                   // of the IPv4 header, folded
	ip     int                      // length of the IP header: 20, 40, or 0 without one
	size   int                      // of all headers
	v6     bool
	udp    bool
}

func newOuter(c *OutboundConfig) (o outer) {
	if c.Carrier == InSocket || !c.Source.IsValid() || !c.Destination.IsValid() {
		return o
	}
	o.udp, o.v6 = c.Carrier == InUDP, c.Source.Is6()
	limit, next := c.HopLimit, byte(protoESP)
	if limit == 0 {
		limit = defaultHopLimit
	}
	if o.udp {
		next = protoUDP
	}
	h := o.header[:]
	from, to := c.Source.AsSlice(), c.Destination.AsSlice()
	if o.v6 {
		o.ip, h[0], h[6], h[7] = ipv6Size, 0x60, next, limit
		copy(h[8:], from)
		copy(h[24:], to)
	} else {
		o.ip, h[0], h[8], h[9] = ipv4Size, 0x45, limit, next
		copy(h[12:], from)
		copy(h[16:], to)
		o.sum = uint32(^headerChecksum(h[:ipv4Size]))
	}
	o.size = o.ip
	if o.udp {
		putPorts(h[o.ip:], c)
		o.size += udpSize
	}
	return o
}

func putPorts(udp []byte, c *OutboundConfig) {
	binary.BigEndian.PutUint16(udp, portOr(c.SourcePort))
	binary.BigEndian.PutUint16(udp[2:], portOr(c.DestinationPort))
}

func portOr(port uint16) uint16 {
	if port == 0 {
		return NATTPort
	}
	return port
}

// present reports whether there is an IP header to write.
func (o *outer) present() bool { return o.ip != 0 }

// put writes the headers at the start of packet, which is as long as it will be. The
// identification goes into an IPv4 packet that may be fragmented (RFC 6864 section 4).
func (o *outer) put(packet []byte, tos byte, df bool, id uint16) {
	if o.udp {
		*(*[udpSize]byte)(packet[o.ip:]) = [udpSize]byte(o.header[o.ip:])
		binary.BigEndian.PutUint16(packet[o.ip+4:], uint16(len(packet)-o.ip))
	}
	if o.v6 {
		*(*[ipv6Size]byte)(packet) = [ipv6Size]byte(o.header[:])
		packet[0] |= tos >> 4
		packet[1] = tos << 4
		binary.BigEndian.PutUint16(packet[4:], uint16(len(packet)-ipv6Size))
		return
	}
	o.putIPv4(packet, tos, df, id)
}

// putIPv4 writes the header in words that are made in registers.
func (o *outer) putIPv4(packet []byte, tos byte, df bool, id uint16) {
	flags := uint16(0)
	if df {
		flags, id = 0x4000, 0
	}
	total := o.sum + uint32(tos) + uint32(len(packet)) + uint32(id) + uint32(flags)
	total = total>>16 + total&0xffff
	checksum := ^uint16(total>>16 + total)
	be, h := binary.BigEndian, packet[:ipv4Size]
	be.PutUint64(h, 0x45<<56|uint64(tos)<<48|uint64(len(packet))<<32|uint64(id)<<16|uint64(flags))
	be.PutUint64(h[8:], be.Uint64(o.header[8:])|uint64(checksum)<<32)
	be.PutUint32(h[16:], be.Uint32(o.header[16:]))
}

// checkUDP gives the UDP datagram at that place in a sealed packet its checksum. Over
// IPv4 it is zero (RFC 3948 section 2.1); over IPv6 it is zero only where extension
// headers hide the final destination (RFC 6935 section 5).
func checkUDP(packet []byte, at int) {
	if packet[0]>>4 == 6 && at == ipv6Size {
		datagram := packet[at:]
		binary.BigEndian.PutUint16(datagram[6:], udpIPv6Checksum(packet[8:ipv6Size], datagram))
	}
}
