package ipsecadapter

import (
	"bytes"
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// located is where ESP or AH lies in a datagram that arrived. Offsets count from its start.
type located struct {
	outer    ipHeader
	between  []byte // source and destination; nil InSocket, where nobody sees them
	field    int    // where the outer headers name what follows
	keep     int    // length of the outer headers, without UDP
	esp      int    // where ESP or AH begins
	lead     int    // from there to the payload
	end      int    // where the packet ends; what follows is the link's
	body     int    // length of payload, padding and trailer
	spi      uint32
	low      uint32 // the sequence number in the packet
	protocol Protocol
	carrier  Carrier
	plain    bool // in a socket, or behind an IPv4 header without options
	sa       *InboundSA

	addresses uint64 // what between has, behind such a header
}

// locate finds ESP or AH in a datagram, or says why there is none.
func (in *Inbound) locate(l *located, d *record.Datagram) (drop record.Drop) {
	l.sa, l.protocol, l.plain = nil, ESP, false
	if !d.Valid() {
		return record.DropFailed
	}
	b := d.Content()
	if !in.options.Socket && l.quick(b) {
		return record.DropNone
	}
	if in.options.Socket {
		l.between, l.plain = nil, true
		l.keep, l.esp, l.end, l.carrier = 0, 0, d.Len, InSocket
		drop = checkPayload(b)
	} else {
		drop = in.locateInIP(l, b)
	}
	if drop != record.DropNone {
		return drop
	}
	return l.identify(b)
}

// quick does the work of locateInIP and identify for ESP behind an IPv4 header without options.
// What it does not accept it leaves to them.
func (l *located) quick(b []byte) bool {
	if len(b) < leastPlain {
		return false
	}
	first, second, last := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:]), uint64(binary.BigEndian.Uint32(b[16:]))
	total := int(first >> 32 & 0xffff)
	if total < leastPlain || total > len(b) || !isPlainIPv4(first, second, last) {
		return false
	}
	id := binary.BigEndian.Uint64(b[ipv4Size:])
	l.outer.v6, l.outer.tos, l.between, l.addresses, l.plain = false, b[1], b[12:ipv4Size], second<<32|last, true
	l.field, l.keep, l.esp, l.end, l.carrier = protocolField, ipv4Size, ipv4Size, total, InIP
	l.spi, l.low = uint32(id>>32), uint32(id)
	return true
}

// identify reads SPI and sequence number.
func (l *located) identify(b []byte) record.Drop {
	at, size := l.esp, espHeader
	if l.protocol == AH {
		at, size = l.esp+4, ahHeader
	}
	switch n := l.end - l.esp; {
	case n < size:
		return record.DropTruncated
	case n > ciphers.MaxPayload: // longer than IP carries, and than the engine's offsets reach
		return record.DropTooLong
	}
	start := binary.BigEndian.Uint64(b[at:])
	l.spi, l.low = uint32(start>>32), uint32(start)
	return record.DropNone
}

func (in *Inbound) locateInIP(l *located, b []byte) record.Drop {
	if drop := l.outer.parse(b); drop != record.DropNone {
		return drop
	}
	next := l.outer.protocol
	l.between = between(b, l.outer.v6)
	if l.outer.v6 {
		w, drop := l.outer.walk(b[:l.outer.total])
		if drop != record.DropNone {
			return drop
		}
		l.field, l.keep, next = w.field, w.end, w.next
	} else {
		switch {
		case !rightChecksum(b[:l.outer.size]):
			return record.DropMalformed
		case l.outer.fragment:
			return record.DropFragment
		}
		l.field, l.keep = protocolField, l.outer.size
	}
	l.esp, l.end = l.keep, l.outer.total
	switch next {
	case protoESP:
		l.carrier = InIP
		return record.DropNone
	case protoAH:
		l.carrier, l.protocol = InIP, AH
		return record.DropNone
	case protoUDP:
		l.carrier = InUDP
		return in.locateInUDP(l, b)
	}
	return record.DropType
}

func (in *Inbound) locateInUDP(l *located, b []byte) record.Drop {
	udp := b[l.esp:l.end]
	if len(udp) < udpSize {
		return record.DropTruncated
	}
	if binary.BigEndian.Uint16(udp[2:]) != in.port && !(in.options.EitherPort && binary.BigEndian.Uint16(udp) == in.port) {
		return record.DropType
	}
	size := int(binary.BigEndian.Uint16(udp[4:]))
	switch {
	case size < udpSize:
		return record.DropMalformed
	case size > len(udp):
		return record.DropTruncated
	}
	l.end = l.esp + size
	l.esp += udpSize
	return checkPayload(b[l.esp:l.end])
}

func checkPayload(payload []byte) record.Drop {
	switch ClassifyUDP(payload) {
	case PayloadESP:
		return record.DropNone
	case PayloadIKE:
		return record.DropIKE
	case PayloadKeepalive:
		return record.DropKeepalive
	}
	return record.DropTruncated
}

// like reports whether the packet belongs to the SA of another that was seen with the same
// table.
func (l *located) like(other *located) bool {
	return l.spi == other.spi && l.protocol == other.protocol && bytes.Equal(l.between, other.between)
}

// assign checks that the packet is one that its SA could have sealed.
func (l *located) assign(b []byte) record.Drop {
	sa := l.sa
	if sa == nil {
		return record.DropUnknownSession
	}
	switch {
	case sa.meter.expired():
		return record.DropExpired
	case sa.carrier != l.carrier:
		return record.DropType
	case l.protocol == AH:
		return l.measureAH(b)
	}
	l.measure()
	switch {
	case l.body < espTrailer:
		return record.DropTruncated
	case l.body&(sa.traits.align-1) != 0:
		return record.DropMalformed
	}
	return record.DropNone
}

// measure says how long the parts of ESP are.
func (l *located) measure() {
	l.lead = l.sa.lead
	l.body = l.end - l.esp - l.lead - l.sa.traits.icv
}

// describe tells the engine of the packet in the datagram b.
func (l *located) describe(p *engine.Packet, prefix *[prefixSize]byte, c *coverage, b []byte, number uint64) record.Drop {
	sa := l.sa
	if sa.protocol == AH {
		return sa.describeAH(p, c, b[:l.end:l.end], l.esp, l.lead, number)
	}
	esp, iv := b[l.esp:l.end:l.end], number
	if sa.readsIV {
		iv = binary.BigEndian.Uint64(esp[espHeader:])
	}
	sa.describe(p, prefix, esp, number, iv, l.body)
	return record.DropNone
}

// measureAH wants the header as long as the SA's ICV makes it (RFC 4302 section 2.2).
func (l *located) measureAH(b []byte) record.Drop {
	l.lead = l.sa.leadOf(l.outer.v6)
	if ahLength(b[l.esp:]) != l.lead {
		return record.DropMalformed
	}
	if l.body = l.end - l.esp - l.lead; l.body < 0 {
		return record.DropTruncated
	}
	return record.DropNone
}
