package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// ahHeader is the length of AH up to its ICV: next header, length, two reserved bytes, SPI
// and sequence number (RFC 4302 section 2).
const ahHeader = 12

// ahSize is the length of an AH, which is whole words of 32 bits over IPv4 and of 64 bits
// over IPv6 (RFC 4302 section 2.6). GMAC's ICV is led by its IV (RFC 4543 section 4 with
// erratum 3643).
func (s *traits) ahSize(v6 bool) int {
	n := ahHeader + s.iv + s.icv
	if v6 {
		n = (n + 7) &^ 7
	}
	return n
}

// ahLength is the length of an AH by its own field, which counts words less 2.
func ahLength(ah []byte) int { return 4 * (int(ah[1]) + 2) }

// putAH writes an AH, without its ICV.
func (a *association) putAH(ah []byte, next byte, number uint64) {
	clear(ah)
	ah[0], ah[1] = next, byte(len(ah)/4-2)
	binary.BigEndian.PutUint32(ah[4:], a.spi)
	binary.BigEndian.PutUint32(ah[8:], uint32(number))
	if a.traits.iv != 0 {
		binary.BigEndian.PutUint64(ah[ahHeader:], number)
	}
}

// coverage keeps the bytes that ICVs cover in other shape than they travel. It grows to
// what a burst needs and then stays.
type coverage struct{ bytes []byte }

func (c *coverage) reset() { c.bytes = c.bytes[:0] }

// describeAH tells the engine of a packet whose AH, of lead bytes, stands behind headers
// bytes of IP headers. The ICV covers the whole packet, with the ICV and all mutable
// fields of the headers zero (RFC 4302 section 3.3.3.1), and behind it the high half of
// an extended number (section 3.3.3.2.1).
func (a *association) describeAH(p *engine.Packet, c *coverage, packet []byte, headers, lead int, number uint64) record.Drop {
	if len(packet) > a.maxCovered() {
		return record.DropTooLong
	}
	start := len(c.bytes)
	c.bytes = append(c.bytes, packet[:headers+lead]...)
	covered := c.bytes[start:]
	if drop := zeroMutable(covered[:headers], a.key.Direction() == ciphers.Sealing); drop != record.DropNone {
		return drop
	}
	icv := headers + ahHeader + a.traits.iv
	clear(covered[headers+ahHeader : icv+a.traits.icv])
	*p = engine.Packet{Key: a.key, Buf: packet, Prefix: covered, Off: uint16(icv), Len: a.tag,
		AADOff: uint16(headers + lead), AADLen: uint16(len(packet) - headers - lead)}
	if a.traits.iv != 0 {
		p.Number = binary.BigEndian.Uint64(packet[headers+ahHeader:])
	}
	if a.esn {
		a.coverHigh(p, c, start, uint32(number>>32))
	}
	return record.DropNone
}

// maxCovered is the longest packet that the engine authenticates.
func (a *association) maxCovered() int {
	if a.esn && !a.traits.isPair() {
		return ciphers.MaxAAD - 4
	}
	return ciphers.MaxAAD
}

// coverHigh puts the high half of a number behind all else that is covered. An HMAC does
// that itself; GMAC gets a copy of the packet.
func (a *association) coverHigh(p *engine.Packet, c *coverage, start int, high uint32) {
	if a.traits.isPair() {
		p.High = high
		return
	}
	c.bytes = append(c.bytes, p.Buf[p.AADOff:]...)
	c.bytes = binary.BigEndian.AppendUint32(c.bytes, high)
	p.Prefix, p.AADOff, p.AADLen = c.bytes[start:], 0, 0
}
