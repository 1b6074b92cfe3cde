package quicadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// MaxConnectionID is the longest connection ID in bytes of versions 1 and 2 (RFC 9000
// section 17.2).
const MaxConnectionID = 20

// The bits of a first byte (RFC 9000 sections 17.2 and 17.3.1).
const (
	longForm      = 0x80
	fixedBit      = 0x40
	spinBit       = 0x20
	phaseBit      = 0x04
	numberBits    = 0x03
	longReserved  = 0x0c
	shortReserved = 0x18
	shortProtect  = 0x1f // of a long header a bit less
)

// minVersioned is the shortest long header: first byte, version, two empty IDs.
const minVersioned = 7

// maxDatagram is the most bytes of a datagram that is looked at; UDP has no more.
const maxDatagram = 1<<16 - 1

// Header is what a packet's header says in the clear. The slices lie in the packet
// where it was parsed. Where it is to be sealed they are the caller's, and must not lie in
// the room where the header is written: who seals an opened packet in place copies them.
type Header struct {
	Type        Type
	Spin        bool    // OneRTT
	Greased     bool    // the fixed bit is 0 (RFC 9287); never where there is none
	Version     Version // 0 for OneRTT, whose header has none
	Destination []byte  // connection ID
	Source      []byte  // connection ID; none for OneRTT
	Token       []byte  // Initial and Retry
	Versions    []byte  // VersionNegotiation: 4 bytes each, at least one

	numberOff uint16 // where the number starts
	size      uint16 // of the packet, in bytes
}

// Size is how many bytes of the datagram the parsed packet takes; the next of a
// coalesced datagram follows.
func (h *Header) Size() int { return int(h.size) }

// Parse reads the header of the first packet of a datagram, as far as it can be read
// without keys. idSize is the length of the connection IDs that short headers carry,
// which only the receiver knows. DropNone means that the header is whole and that the
// packet lies inside the datagram; it says nothing of its authenticity. A fixed bit of 0
// is refused with DropMalformed.
func (h *Header) Parse(datagram []byte, idSize int) record.Drop {
	drop := h.ParseGreased(datagram, idSize)
	if drop == record.DropNone && h.Greased {
		return record.DropMalformed
	}
	return drop
}

// ParseGreased does what Parse does and accepts a fixed bit of 0, for who announced
// grease_quic_bit (RFC 9287), or only listens.
func (h *Header) ParseGreased(datagram []byte, idSize int) record.Drop {
	*h = Header{}
	switch {
	case len(datagram) == 0:
		return record.DropTruncated
	case len(datagram) > maxDatagram:
		return record.DropTooLong
	case datagram[0]&longForm != 0:
		return h.parseLong(datagram)
	case len(datagram) < 1+idSize:
		return record.DropTruncated
	}
	h.makeBlank()
	h.setShort(datagram, 1+idSize)
	return record.DropNone
}

// blank reports that a header has nothing that setShort leaves as it is but what a short
// header has.
func (h *Header) blank() bool {
	return h.Type == OneRTT && cap(h.Source)+cap(h.Token)+cap(h.Versions) == 0
}

// makeBlank prepares a header for setShort.
func (h *Header) makeBlank() {
	if !h.blank() {
		*h = Header{Type: OneRTT}
	}
}

// setShort sets what a short header says whose connection ID ends at end.
func (h *Header) setShort(b []byte, end int) {
	first := b[0]
	h.Spin = first&spinBit != 0
	h.Greased = first&fixedBit == 0
	h.Destination = b[1:end:end]
	h.numberOff = uint16(end)
	h.size = uint16(len(b))
}

// parseLong reads what every version has (RFC 8999 section 5.1), and then what the
// version at hand has.
func (h *Header) parseLong(b []byte) record.Drop {
	if len(b) < minVersioned {
		return record.DropTruncated
	}
	h.Version = Version(binary.BigEndian.Uint32(b[1:]))
	var ok bool
	rest := b[5:]
	if h.Destination, rest, ok = cutID(rest); !ok {
		return record.DropTruncated
	}
	if h.Source, rest, ok = cutID(rest); !ok {
		return record.DropTruncated
	}
	h.size = uint16(len(b))
	if h.Version == 0 {
		return h.parseVersions(rest)
	}
	h.Type = longType(h.Version, b[0])
	h.Greased = h.Type != 0 && b[0]&fixedBit == 0
	switch {
	case h.Type == 0:
		h.Type = OtherVersion
		return record.DropType
	case len(h.Destination) > MaxConnectionID, len(h.Source) > MaxConnectionID:
		return record.DropMalformed
	case h.Type == Retry:
		return h.parseRetry(rest)
	}
	return h.parseNumbered(b, rest)
}

// cutID takes a connection ID behind its length byte.
func cutID(b []byte) (id, rest []byte, ok bool) {
	if len(b) == 0 || len(b)-1 < int(b[0]) {
		return nil, nil, false
	}
	end := 1 + int(b[0])
	return b[1:end:end], b[end:], true
}

// parseVersions reads the list of a Version Negotiation packet (RFC 9000 section 17.2.1).
func (h *Header) parseVersions(rest []byte) record.Drop {
	h.Type = VersionNegotiation
	if len(rest) == 0 || len(rest)%4 != 0 {
		return record.DropTruncated
	}
	h.Versions = rest
	return record.DropNone
}

// parseRetry reads the token before the integrity tag (RFC 9000 section 17.2.5). An empty
// token is refused, as section 17.2.5.2 demands.
func (h *Header) parseRetry(rest []byte) record.Drop {
	switch n := len(rest) - TagSize; {
	case n < 0:
		return record.DropTruncated
	case n == 0:
		return record.DropMalformed
	default:
		h.Token = rest[:n:n]
		return record.DropNone
	}
}

// parseNumbered reads token and length of the types that have a number.
func (h *Header) parseNumbered(b, rest []byte) record.Drop {
	if h.Type == Initial {
		n, size := varint(rest)
		if size == 0 || n > uint64(len(rest)-size) {
			return record.DropTruncated
		}
		end := size + int(n)
		h.Token, rest = rest[size:end:end], rest[end:]
	}
	n, size := varint(rest)
	if size == 0 || n > uint64(len(rest)-size) {
		return record.DropTruncated
	}
	h.numberOff = uint16(len(b) - len(rest) + size)
	h.size = h.numberOff + uint16(n)
	return record.DropNone
}

// sampled reports that the packet has the whole sample of header protection, which
// lies as if the number were 4 bytes long (RFC 9001 section 5.4.2). The payload then
// holds a tag, whatever the number's length.
func (h *Header) sampled() bool {
	return int(h.numberOff)+sampleSkip+ciphers.MaskSize <= int(h.size)
}

// sampleSkip is how far behind the start of the number the sample lies.
const sampleSkip = 4
