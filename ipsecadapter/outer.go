package ipsecadapter

import "encoding/binary"

const defaultHopLimit = 64

// outer writes the headers of a tunnel from a template. An IPv6 flow label is zero.
type outer struct {
	header        [ipv6Size + udpSize]byte // with all that never changes
	middle        uint64                   // bytes 8 to 15 of the IPv4 header, with ones for the checksum
	last          uint32                   // bytes 16 to 19 of the IPv4 header
	sum           uint64                   // of middle and last, folded
	copied, fixed uint64                   // what the first 8 bytes of the IPv4 header have of the inner one's, and what of their own
	ip            int                      // length of the IP header: 20, 40, or 0 without one
	udpAt         int                      // where the UDP header lies; 0 for none
	size          int                      // of all headers
	v6            bool
	udp           bool
}

func newOuter(c *OutboundConfig) (o outer) {
	if c.Carrier == InSocket || !c.Source.IsValid() || !c.Destination.IsValid() {
		return o
	}
	o.udp, o.v6 = c.Carrier == InUDP, c.Source.Is6()
	o.copied, o.fixed = c.outerStart()
	limit, next := c.HopLimit, byte(protoESP)
	if limit == 0 {
		limit = defaultHopLimit
	}
	if o.udp {
		next = protoUDP
	} else if c.Protocol == AH {
		next = protoAH
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
		o.middle, o.last = binary.BigEndian.Uint64(h[8:])^0xffff<<32, binary.BigEndian.Uint32(h[16:])
		o.sum = uint64(^headerChecksum(h[8:ipv4Size]))
	}
	o.size = o.ip
	if o.udp {
		putPorts(h[o.ip:], c)
		o.size += udpSize
		o.udpAt = o.ip
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

// put writes the headers at the start of packet, which is as long as it will be. inner is
// the first 8 bytes of the packet inside, or of one of IPv4 with the same DSCP, ECN and DF.
// The identification goes into an IPv4 packet that may be fragmented (RFC 6864 section 4).
func (o *outer) put(packet []byte, inner uint64, id uint16) {
	if !o.present() {
		return
	}
	if o.udp {
		*(*[udpSize]byte)(packet[o.ip:]) = [udpSize]byte(o.header[o.ip:])
		binary.BigEndian.PutUint16(packet[o.ip+4:], uint16(len(packet)-o.ip))
	}
	if !o.v6 {
		o.putIPv4((*[ipv4Size]byte)(packet), len(packet), inner, id)
		return
	}
	*(*[ipv6Size]byte)(packet) = [ipv6Size]byte(o.header[:])
	tos := (inner&o.copied | o.fixed) >> 48
	binary.BigEndian.PutUint16(packet, 6<<12|uint16(tos&0xff)<<4)
	binary.BigEndian.PutUint16(packet[4:], uint16(len(packet)-ipv6Size))
}

// putIPv4 writes the header in words that are made in registers.
func (o *outer) putIPv4(h *[ipv4Size]byte, length int, inner uint64, id uint16) {
	start, second := o.startIPv4(length, inner, id)
	binary.BigEndian.PutUint64(h[:], start)
	binary.BigEndian.PutUint64(h[8:], second)
	binary.BigEndian.PutUint32(h[16:], o.last)
}

// startIPv4 is the first 16 bytes of the header. The sum of its words fits into 32 bits, and
// multiplying makes of those two words a third, which is their sum and what that carries.
func (o *outer) startIPv4(length int, inner uint64, id uint16) (start, second uint64) {
	const checksum, fold = 0xffff << 32, 0x0001_0001_0001_0001
	start = inner&o.copied | o.fixed | uint64(length)<<32
	sum := start>>32 + start&flagDF + o.sum
	if start&flagDF == 0 {
		start |= uint64(id) << 16
		sum += uint64(id)
	}
	return start, o.middle ^ sum*fold&checksum
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
