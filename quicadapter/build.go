package quicadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// MaxShortOverhead and MaxLongOverhead are the headroom that any packet can do with, in
// bytes; an Initial needs its token's length in addition.
const (
	MaxShortOverhead = 1 + MaxConnectionID + pnum.MaxQUICLength
	MaxLongOverhead  = 1 + 4 + 2*(1+MaxConnectionID) + 4 + 4 + pnum.MaxQUICLength
)

// MinTailroom is the room behind the payload that any packet can do with, padding to
// MinSize apart: the tag, and what an empty payload lacks of the sample.
const MinTailroom = TagSize + sampleSkip - 1

// check refuses what no header can carry. It is misuse by the caller.
func (p *Packet) check() record.Drop {
	switch {
	case !p.Valid(), p.NumberSize < 0, p.NumberSize > pnum.MaxQUICLength,
		len(p.Destination) > MaxConnectionID, len(p.Source) > MaxConnectionID,
		p.Type == OneRTT && len(p.Source) != 0, p.Type != Initial && len(p.Token) != 0:
		return record.DropFailed
	case p.Len > maxDatagram, len(p.Token) > maxDatagram, p.MinSize > maxDatagram:
		return record.DropTooLong
	}
	return record.DropNone
}

// layout is where the parts of a packet come to lie that is to be sealed.
type layout struct {
	header     int // bytes, number included
	numberSize int
	padding    int // PADDING frames behind the payload
	lengthSize int // of the length field; 0 for short headers
}

// plan lays a packet out. acked is the highest number acknowledged, or pnum.None.
func (p *Packet) plan(acked uint64) (l layout, drop record.Drop) {
	size, err := pnum.QUICLength(p.Number, acked)
	if err != nil {
		return l, record.DropLimit
	}
	l.numberSize = max(size, p.NumberSize)
	l.header = 1 + len(p.Destination) + l.numberSize
	if p.Type != OneRTT {
		l.header += 4 + 1 + 1 + len(p.Source)
	}
	if p.Type == Initial {
		l.header += varintSize(len(p.Token)) + len(p.Token)
	}
	l.padding = max(0, sampleSkip-l.numberSize-p.Len)
	if p.Type != OneRTT {
		l.lengthSize = p.lengthSize(l)
		l.header += l.lengthSize
	}
	l.padding = max(l.padding, p.MinSize-l.header-p.Len-TagSize)
	if l.header+p.Len+l.padding+TagSize > maxDatagram {
		return l, record.DropTooLong
	}
	return l, record.DropNone
}

// HeaderSize is the length in bytes of the header that Seal would write now, number
// included: with TagSize it says how much payload fills a datagram. Another goroutine that
// seals on the connection first may make the number a byte longer. A packet that Seal would
// drop has no size, and the same Drop.
func (p *Packet) HeaderSize() (size int, drop record.Drop) {
	number, acked, drop := p.Conn.nextNumber(p.Type)
	if drop != record.DropNone {
		return 0, drop
	}
	q := *p
	q.Number = number
	if drop = q.check(); drop != record.DropNone {
		return 0, drop
	}
	l, drop := q.plan(acked)
	if drop != record.DropNone {
		return 0, drop
	}
	return l.header, record.DropNone
}

// lengthSize is 2 bytes but for packets that are longer, as most stacks have it.
func (p *Packet) lengthSize(l layout) int {
	if longest := max(l.numberSize+p.Len+l.padding+TagSize, p.MinSize); longest >= 1<<14 {
		return 4
	}
	return 2
}

// frame checks a packet, lays it out, grows its content by header, padding and tag, and
// writes header and padding.
func (p *Packet) frame(acked uint64) (l layout, ok bool) {
	if p.Drop = p.check(); p.Drop != record.DropNone {
		return l, false
	}
	if l, p.Drop = p.plan(acked); p.Drop != record.DropNone {
		return l, false
	}
	payload := p.Len
	if !p.Grow(l.header, l.padding+TagSize) {
		return l, false
	}
	p.write(l, payload)
	return l, true
}

// write writes header and padding round a payload of that length.
func (p *Packet) write(l layout, payload int) {
	b := p.Content()
	clear(b[l.header+payload:][:l.padding])
	if p.Type == OneRTT {
		p.putShort(b, l)
	} else {
		p.putLong(b, l)
	}
	pnum.Put(b[l.header-l.numberSize:l.header], p.Number)
}

// unframe gives the content its borders back.
func (p *Packet) unframe(header, padding int) {
	drop := p.Drop
	p.Shrink(header, padding+TagSize)
	p.Drop = drop
}

// putShort writes a short header (RFC 9000 section 17.3.1).
func (p *Packet) putShort(b []byte, l layout) {
	b[0] = p.shortFirst(l.numberSize)
	putID(b[1:], p.Destination)
}

// shortFirst is the first byte of a short header (RFC 9000 section 17.3.1).
func (p *Packet) shortFirst(numberSize int) byte {
	first := p.fixedBit() | byte(numberSize-1) | byte(p.Phase&1)*phaseBit
	if p.Spin {
		first |= spinBit
	}
	return first
}

// fixedBit is the bit as the header is to have it.
func (h *Header) fixedBit() byte {
	if h.Greased {
		return 0
	}
	return fixedBit
}

// putLong writes a long header (RFC 9000 section 17.2).
func (p *Packet) putLong(b []byte, l layout) {
	v := p.Conn.Version()
	b[0] = longForm | p.fixedBit() | longBits(v, p.Type) | byte(l.numberSize-1)
	binary.BigEndian.PutUint32(b[1:], uint32(v))
	at := 5
	at += putSizedID(b[at:], p.Destination)
	at += putSizedID(b[at:], p.Source)
	if p.Type == Initial {
		size := varintSize(len(p.Token))
		putVarint(b[at:], len(p.Token), size)
		at += size
		at += copy(b[at:], p.Token)
	}
	putVarint(b[at:], len(b)-l.header+l.numberSize, l.lengthSize)
}

func putSizedID(b, id []byte) int {
	b[0] = byte(len(id))
	return 1 + putID(b[1:], id)
}
