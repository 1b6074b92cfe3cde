package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// frame is how one packet will be framed. Lengths are in bytes.
type frame struct {
	sa       *OutboundSA
	inner    ipHeader
	keep     int // transport mode: the packet's own headers in front of ESP; else 0
	field    int // transport mode: where these name what follows
	payload  int
	padded   int // payload and TFC padding
	body     int // payload, all padding and trailer
	front    int // what is added in front of the packet
	total    int // of the packet to send
	next     byte
	group    uint8
	position uint8 // in the burst
}

// esp is where the ESP header lies in the packet to send.
func (f *frame) esp() int { return f.total - f.sa.lead - f.body - f.sa.traits.icv }

// measure plans how a packet is framed, or says why it cannot be. Nothing is written.
func (f *frame) measure(sa *OutboundSA, d *record.Datagram, dummy bool) record.Drop {
	if !d.Valid() {
		return record.DropFailed
	}
	f.sa, f.keep = sa, 0
	if dummy {
		if drop := f.measureDummy(d); drop != record.DropNone {
			return drop
		}
		return f.measureRoom(d)
	}
	if drop := f.inner.parse(d.Content()); drop != record.DropNone {
		return drop
	}
	f.payload, f.next = f.inner.total, protoIPv4
	if f.inner.v6 {
		f.next = protoIPv6
	}
	if sa.mode == Transport {
		if drop := f.measureTransport(d); drop != record.DropNone {
			return drop
		}
	}
	return f.measureRoom(d)
}

// measureTransport keeps the packet's own headers in front of ESP.
func (f *frame) measureTransport(d *record.Datagram) record.Drop {
	w, drop := f.inner.walk(d.Content()[:f.inner.total])
	f.keep, f.field = w.split, w.splitField
	f.payload, f.next = f.inner.total-f.keep, d.Content()[f.field]
	return drop
}

// measureDummy takes any content. A transport-mode SA has no headers of a packet to keep,
// and uses its own.
func (f *frame) measureDummy(d *record.Datagram) record.Drop {
	if f.sa.carrier != InSocket && !f.sa.outer.present() {
		return record.DropMalformed
	}
	f.inner = ipHeader{}
	f.payload, f.next = d.Len, protoNone
	return record.DropNone
}

// measureRoom adds padding (RFC 4303 sections 2.4 and 2.7) and compares with what path
// and buffer take.
func (f *frame) measureRoom(d *record.Datagram) record.Drop {
	sa, mtu := f.sa, f.sa.PathMTU()
	f.padded = max(f.payload, sa.config.PadTo)
	if mtu != 0 && f.padded > f.payload {
		f.padded = max(f.payload, min(f.padded, sa.InnerMTU(mtu)))
	}
	f.front = sa.front
	if f.keep == 0 {
		f.front = sa.outer.size + sa.lead
	}
	f.body = (f.padded + espTrailer + sa.traits.align - 1) &^ (sa.traits.align - 1)
	behind := f.keep + f.body + sa.traits.icv
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

// maxTotal is how long the packet may be: what its length field holds, or what a
// socket takes over IPv4.
func (f *frame) maxTotal() int {
	switch {
	case f.sa.carrier == InSocket:
		return 1<<16 - 1 - ipv4Size - udpSize
	case f.keep != 0 && f.inner.v6 || f.keep == 0 && f.sa.outer.v6:
		return 1<<16 - 1 + ipv6Size
	}
	return 1<<16 - 1
}

// write frames the packet round its payload and describes it to the engine. Settling
// f is left to done or undo.
func (f *frame) write(d *record.Datagram, p *engine.Packet, prefix *[prefixSize]byte, number uint64) {
	start := d.Off - f.front
	packet := d.Buf[start : start+f.total : start+f.total]
	at := f.esp()
	if f.keep != 0 {
		f.writeTransport(packet, d.Content())
	} else if f.sa.outer.present() {
		tos, df := f.sa.config.outerTOS(f.inner.tos), f.df()
		f.sa.outer.put(packet, tos, df, uint16(number))
	}
	esp := packet[at:]
	binary.BigEndian.PutUint64(esp, uint64(f.sa.spi)<<32|number&(1<<32-1))
	f.writeTrailer(esp[f.sa.lead:][:f.body])
	f.sa.describe(p, prefix, esp, number, f.body)
}

// writeTransport moves the packet's own headers to the front, and names in them what
// now follows.
func (f *frame) writeTransport(packet, content []byte) {
	copy(packet, content[:f.keep])
	next := byte(protoESP)
	if f.sa.carrier == InUDP {
		next = protoUDP
		udp := packet[f.keep:]
		putPorts(udp, &f.sa.config)
		binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
		binary.BigEndian.PutUint16(udp[6:], 0)
	}
	setLength(packet, f.inner.v6, len(packet), f.field, next)
}

// writeTrailer writes everything behind the payload: zeros as TFC padding, 1, 2, 3 … as
// padding, its length and the next header.
func (f *frame) writeTrailer(body []byte) {
	if f.padded != f.payload {
		clear(body[f.payload:f.padded])
	}
	end := body[f.padded:]
	n := len(end) - espTrailer
	for i := range n {
		end[i] = byte(i + 1)
	}
	binary.BigEndian.PutUint16(end[n:], uint16(n)<<8|uint16(f.next))
}

func (f *frame) df() bool {
	switch f.sa.config.DF {
	case SetDF:
		return true
	case ClearDF:
		return false
	}
	return f.inner.df || f.inner.v6
}

// done makes the datagram the sealed packet.
func (f *frame) done(d *record.Datagram) {
	d.Off -= f.front
	d.Len = f.total
	if f.sa.carrier == InUDP {
		checkUDP(d.Content(), f.esp()-udpSize)
	}
}

// undo puts back what write moved, after a packet that could not be sealed.
func (f *frame) undo(d *record.Datagram) {
	if f.keep == 0 {
		return
	}
	packet := d.Buf[d.Off-f.front:]
	copy(d.Content(), packet[:f.keep])
	setLength(d.Content(), f.inner.v6, f.inner.total, f.field, f.next)
}
