package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// frame is how one packet will be framed. Lengths are in bytes.
type frame struct {
	sa      *OutboundSA
	header  ipHeader
	keep    int // transport mode: the packet's own headers in front of ESP or AH; else 0
	field   int // transport mode: where these name what follows
	payload int
	padded  int // payload and TFC padding
	body    int // payload, all padding and trailer; under AH the payload
	lead    int // from ESP or AH to the payload
	front   int // what is added in front of the packet
	total   int // of the packet to send
	next    byte
	sum     [2]byte // transport mode over IPv4: the checksum that the packet came with
}

// at is where the ESP or AH header lies in the packet to send.
func (f *frame) at() int { return f.keep + f.front - f.lead }

// measure plans how a packet is framed, or says why it cannot be. Nothing is written.
func (f *frame) measure(g *group[*OutboundSA], d *record.Datagram, dummy bool) record.Drop {
	if !d.Valid() {
		return record.DropFailed
	}
	f.sa, f.keep = g.sa, 0
	if dummy {
		if drop := f.measureDummy(d); drop != record.DropNone {
			return drop
		}
		return f.measureRoom(d, g.mtu)
	}
	if drop := f.header.parse(d.Content()); drop != record.DropNone {
		return drop
	}
	f.payload, f.next = f.header.total, protoIPv4
	if f.header.v6 {
		f.next = protoIPv6
	}
	if g.sa.mode == Transport {
		if drop := f.measureTransport(d); drop != record.DropNone {
			return drop
		}
	}
	return f.measureRoom(d, g.mtu)
}

// measureTransport keeps the packet's own headers in front of ESP or AH.
func (f *frame) measureTransport(d *record.Datagram) record.Drop {
	w, drop := f.header.walk(d.Content()[:f.header.total])
	f.keep, f.field = w.split, w.splitField
	f.payload, f.next = f.header.total-f.keep, d.Content()[f.field]
	f.sum = [2]byte(d.Content()[checksumField:])
	return drop
}

// measureDummy takes any content. A transport-mode SA has no headers of a packet to keep,
// and uses its own. AH has no such packets.
func (f *frame) measureDummy(d *record.Datagram) record.Drop {
	if f.sa.protocol == AH || f.sa.carrier != InSocket && !f.sa.outer.present() {
		return record.DropMalformed
	}
	f.header = ipHeader{}
	f.payload, f.next = d.Len, protoNone
	return record.DropNone
}

// measureRoom adds padding and compares with what path and buffer take.
func (f *frame) measureRoom(d *record.Datagram, mtu int) record.Drop {
	sa := f.sa
	f.padded, f.lead, f.front = f.payload, sa.lead, sa.front
	if sa.unusual {
		f.measureUnusual(mtu)
	}
	f.body = sa.bodyOf(f.padded)
	behind := f.keep + f.body + sa.behind
	f.total = f.front + behind
	switch {
	case f.total > 1<<16-1-ipv4Size-udpSize && f.total > f.maxTotal():
		return record.DropTooLong
	case mtu != 0 && f.total > mtu:
		return record.DropPathMTU
	case d.Off < f.front:
		return record.DropHeadroom
	case len(d.Buf)-d.Off < behind:
		return record.DropTailroom
	}
	return record.DropNone
}

// measureUnusual is for what depends on the packet: how much is padded to hide its length
// (RFC 4303 section 2.7), and what is added in front in transport mode and under AH.
func (f *frame) measureUnusual(mtu int) {
	sa := f.sa
	f.padded = max(f.payload, sa.config.PadTo)
	if mtu != 0 && f.padded > f.payload {
		f.padded = max(f.payload, min(f.padded, sa.InnerMTU(mtu)))
	}
	if f.keep == 0 {
		f.lead = sa.leadOf(sa.outer.v6)
		f.front = sa.outer.size + f.lead
		return
	}
	f.lead = sa.leadOf(f.header.v6)
	f.front = f.lead
	if sa.carrier == InUDP {
		f.front += udpSize
	}
}

// maxTotal is how long the packet may be: what its length field holds, what a socket
// takes over IPv4, or what the engine covers.
func (f *frame) maxTotal() int {
	switch {
	case f.sa.carrier == InSocket:
		return 1<<16 - 1 - ipv4Size - udpSize
	case f.sa.protocol == AH:
		return f.sa.maxCovered()
	case f.keep != 0 && f.header.v6 || f.keep == 0 && f.sa.outer.v6:
		return 1<<16 - 1 + ipv6Size
	}
	return 1<<16 - 1
}

// write frames the packet round its payload and describes it to the engine. Settling
// f is left to done or undo.
func (f *frame) write(s *sealing, d *record.Datagram, place int, number uint64) record.Drop {
	sa, at := f.sa, f.at()
	start := d.Off - f.front
	packet := d.Buf[start : start+f.total : start+f.total]
	if f.keep != 0 {
		f.writeTransport(packet, d.Content())
	} else {
		sa.outer.put(packet, uint64(f.header.tos)<<48|uint64(f.header.df), uint16(number))
	}
	if sa.protocol == AH {
		sa.putAH(packet[at:at+f.lead], f.next, number)
		return sa.describeAH(&s.packets[place], &s.coverage, packet, at, f.lead, number)
	}
	esp := packet[at:]
	f.writeESP(esp, number)
	sa.describe(&s.packets[place], &s.prefixes[place], esp, number, number, f.body)
	return record.DropNone
}

// writeTransport moves the packet's own headers to the front, and names in them what
// now follows.
func (f *frame) writeTransport(packet, content []byte) {
	copy(packet, content[:f.keep])
	next := byte(protoESP)
	switch {
	case f.sa.protocol == AH:
		next = protoAH
	case f.sa.carrier == InUDP:
		next = protoUDP
		udp := packet[f.keep:]
		putPorts(udp, &f.sa.config)
		binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
		binary.BigEndian.PutUint16(udp[6:], 0)
	}
	setLength(packet, f.header.v6, len(packet), f.field, next)
}

// writeESP writes what is in front of and behind the payload.
func (f *frame) writeESP(esp []byte, number uint64) {
	sa := f.sa
	sa.putHeader(esp, number)
	if f.padded != f.payload {
		clear(esp[sa.lead+f.payload : sa.lead+f.padded])
	}
	putTrailer(esp[sa.lead+f.padded:], f.body-f.padded-espTrailer, uint64(f.next))
}

// putHeader writes the ESP header and an IV, which is the number. Any other is the engine's
// affair.
func (sa *OutboundSA) putHeader(esp []byte, number uint64) {
	binary.BigEndian.PutUint64(esp, uint64(sa.spi)<<32|number&(1<<32-1))
	if sa.traits.iv != 0 {
		binary.BigEndian.PutUint64(esp[espHeader:], number)
	}
}

// putTrailer writes n bytes of padding, 1, 2, 3 … (RFC 4303 section 2.4), n itself and the
// next header. It writes words, which may reach into the place of the ICV.
func putTrailer(end []byte, n int, next uint64) {
	if n <= 6 {
		binary.BigEndian.PutUint64(end, trailers[n]|next<<(48-8*n))
		return
	}
	putLongTrailer(end, n, next)
}

func putLongTrailer(end []byte, n int, next uint64) {
	binary.BigEndian.PutUint64(end, 0x0102030405060708)
	if n > 8 {
		binary.BigEndian.PutUint64(end[8:], 0x090a0b0c0d0e0f10)
	}
	binary.BigEndian.PutUint16(end[n:], uint16(n)<<8|uint16(next))
}

// trailers are padding of up to 6 bytes and its length.
var trailers = [7]uint64{
	0, 0x0101 << 48, 0x010202 << 40, 0x01020303 << 32, 0x0102030404 << 24, 0x010203040505 << 16, 0x01020304050606 << 8,
}

// done makes the datagram the sealed packet.
func (f *frame) done(d *record.Datagram) {
	d.Off -= f.front
	d.Len = f.total
	if f.sa.carrier == InUDP {
		checkUDP(d.Content(), f.at()-udpSize)
	}
}

// undo puts back what write moved, after a packet that could not be sealed.
func (f *frame) undo(d *record.Datagram) {
	if f.keep == 0 {
		return
	}
	packet := d.Buf[d.Off-f.front:]
	copy(d.Content(), packet[:f.keep])
	setLength(d.Content(), f.header.v6, f.header.total, f.field, f.next)
	if !f.header.v6 {
		copy(d.Content()[checksumField:], f.sum[:])
	}
}
