package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// located is where ESP lies in a datagram that arrived. Offsets count from its start.
type located struct {
	outer    ipHeader
	field    int // where the outer headers name what follows
	keep     int // length of the outer headers, without UDP
	esp      int // where the SPI stands
	end      int // where the packet ends; what follows is the link's
	body     int // length of payload, padding and trailer
	spi      uint32
	low      uint32 // the sequence number in the packet
	carrier  Carrier
	sa       *InboundSA
	position uint8 // in the burst
	group    uint8
}

// locate finds ESP in a datagram, or says why there is none.
func (in *Inbound) locate(l *located, d *record.Datagram) (drop record.Drop) {
	l.sa = nil
	if !d.Valid() {
		return record.DropFailed
	}
	b := d.Content()
	if in.options.Socket {
		l.keep, l.esp, l.end, l.carrier = 0, 0, d.Len, InSocket
		drop = checkPayload(b)
	} else {
		drop = in.locateInIP(l, b)
	}
	if drop != record.DropNone {
		return drop
	}
	switch n := l.end - l.esp; {
	case n < espHeader:
		return record.DropTruncated
	case n > ciphers.MaxPayload: // longer than IP carries, and than the engine's offsets reach
		return record.DropTooLong
	}
	l.spi, l.low = binary.BigEndian.Uint32(b[l.esp:]), binary.BigEndian.Uint32(b[l.esp+4:])
	return record.DropNone
}

func (in *Inbound) locateInIP(l *located, b []byte) record.Drop {
	if drop := l.outer.parse(b); drop != record.DropNone {
		return drop
	}
	next := l.outer.protocol
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
	if binary.BigEndian.Uint16(udp[2:]) != in.port {
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

// assign finds the SA and checks that the packet is one that it could have sealed.
func (l *located) assign(t table, b []byte) record.Drop {
	var source, destination []byte
	if l.carrier != InSocket {
		source, destination = addresses(b, l.outer.v6)
	}
	sa := t.lookup(l.spi, source, destination)
	if sa == nil {
		return record.DropUnknownSession
	}
	l.sa, l.body = sa, l.end-l.esp-sa.lead-sa.traits.icv
	switch {
	case sa.meter.expired():
		return record.DropExpired
	case sa.carrier != l.carrier:
		return record.DropType
	case l.body < espTrailer:
		return record.DropTruncated
	case l.body&(sa.traits.align-1) != 0:
		return record.DropMalformed
	}
	return record.DropNone
}
