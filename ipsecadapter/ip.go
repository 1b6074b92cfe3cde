package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// Protocol and next-header numbers of IANA.
const (
	protoHopByHop     = 0
	protoIPv4         = 4
	protoTCP          = 6
	protoUDP          = 17
	protoIPv6         = 41
	protoRouting      = 43
	protoFragment     = 44
	protoESP          = 50
	protoAH           = 51
	protoNone         = 59 // of dummy packets, RFC 4303 section 2.6
	protoDestinations = 60
	protoDCCP         = 33
	protoSCTP         = 132
	protoUDPLite      = 136
)

const (
	ipv4Size = 20 // without options
	ipv6Size = 40 // without extension headers
	udpSize  = 8

	flagDF        = 0x4000 // of an IPv4 header's flags and fragment offset
	anyFragment   = 0x3fff // More Fragments, and the offset
	protocolField = 9      // of an IPv4 header: where the protocol stands
	checksumField = 10     // of an IPv4 header
)

// ipHeader is what the first header of an IP packet says.
type ipHeader struct {
	v6       bool
	df       uint16 // flagDF or 0; over IPv6 as if it were set
	fragment bool   // IPv4: part of a fragmented packet
	protocol byte   // IPv6: the first next header
	tos      byte   // DSCP and ECN
	size     int    // of the header, IPv4 options included
	total    int    // of the packet
}

// parse reads the header of the packet that b begins with. What stands behind the
// packet, as the padding of a link does, is not looked at.
func (h *ipHeader) parse(b []byte) record.Drop {
	if len(b) < ipv4Size {
		return record.DropTruncated
	}
	if b[0]>>4 != 4 {
		return h.parseIPv6(b)
	}
	start := binary.BigEndian.Uint64(b)
	// Field by field: a literal is made elsewhere and copied in wider words, which stalls.
	h.v6, h.df, h.fragment = false, uint16(start)&flagDF, start&anyFragment != 0
	h.protocol, h.tos = b[protocolField], byte(start>>48)
	h.size, h.total = int(start>>56&15)*4, int(start>>32&0xffff)
	switch {
	case h.size < ipv4Size || h.total < h.size:
		return record.DropMalformed
	case h.total > len(b):
		return record.DropTruncated
	}
	return record.DropNone
}

func (h *ipHeader) parseIPv6(b []byte) record.Drop {
	switch {
	case b[0]>>4 != 6:
		return record.DropMalformed
	case len(b) < ipv6Size:
		return record.DropTruncated
	}
	h.v6, h.df, h.fragment = true, flagDF, false
	h.protocol, h.tos = b[6], b[0]<<4|b[1]>>4
	h.size, h.total = ipv6Size, ipv6Size+int(binary.BigEndian.Uint16(b[4:]))
	if h.total > len(b) {
		return record.DropTruncated
	}
	return record.DropNone
}

// headers says where the headers of an IP packet end.
type headers struct {
	end   int  // of all of them
	field int  // where the number of what follows end stands
	next  byte // that number

	// Where ESP and AH go in transport mode: behind the headers that routers on the way read
	// (RFC 4303 section 3.1.1). Destination options count when a routing header follows.
	split      int
	splitField int
}

// walk follows the headers of the packet b, which parse accepted and which is as
// long as it says. A fragment is refused; otherwise it stops at the first header that
// is none of IP's own.
func (h *ipHeader) walk(b []byte) (w headers, drop record.Drop) {
	if !h.v6 {
		if h.fragment {
			return w, record.DropFragment
		}
		return headers{h.size, protocolField, h.protocol, h.size, protocolField}, record.DropNone
	}
	w = headers{ipv6Size, 6, h.protocol, ipv6Size, 6}
	for w.next == protoHopByHop || w.next == protoRouting || w.next == protoDestinations {
		rest := b[w.end:]
		if len(rest) < 8 {
			return w, record.DropTruncated
		}
		size := 8 * (1 + int(rest[1]))
		if len(rest) < size {
			return w, record.DropTruncated
		}
		kind := w.next
		w.field, w.next = w.end, rest[0]
		w.end += size
		if kind != protoDestinations {
			w.split, w.splitField = w.end, w.field
		}
	}
	if w.next == protoFragment {
		return w, record.DropFragment
	}
	return w, record.DropNone
}

// between is both addresses of a packet that parse accepted.
func between(b []byte, v6 bool) []byte {
	if v6 {
		return b[8:40]
	}
	return b[12:20]
}

// addresses are the source and destination of a packet that parse accepted.
func addresses(b []byte, v6 bool) (source, destination []byte) {
	if v6 {
		return b[8:24], b[24:40]
	}
	return b[12:16], b[16:20]
}

// setLength writes a packet's length and the number of what follows its headers, and
// makes its IPv4 checksum anew.
func setLength(b []byte, v6 bool, total, field int, next byte) {
	b[field] = next
	if v6 {
		binary.BigEndian.PutUint16(b[4:], uint16(total-ipv6Size))
		return
	}
	binary.BigEndian.PutUint16(b[2:], uint16(total))
	setChecksum(b[:int(b[0]&15)*4])
}
