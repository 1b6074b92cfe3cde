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
const MinTailroom = tagSize + sampleSkip - 1

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
	l.padding = max(l.padding, p.MinSize-l.header-p.Len-tagSize)
	if l.header+p.Len+l.padding+tagSize > maxDatagram {
		return l, record.DropTooLong
	}
	return l, record.DropNone
}

// lengthSize is 2 bytes but for packets that are longer, as most stacks have it.
func (p *Packet) lengthSize(l layout) int {
	if longest := max(l.numberSize+p.Len+l.padding+tagSize, p.MinSize); longest >= 1<<14 {
		return 4
	}
	return 2
}

// frame grows the content by header, padding and tag, and writes header and padding.
func (p *Packet) frame(l layout) bool {
	payload := p.Len
	if !p.Grow(l.header, l.padding+tagSize) {
		return false
	}
	b := p.Content()
	clear(b[l.header+payload:][:l.padding])
	if p.Type == OneRTT {
		p.putShort(b, l)
	} else {
		p.putLong(b, l)
	}
	pnum.Put(b[l.header-l.numberSize:l.header], p.Number)
	return true
}

// unframe gives the content its borders back.
func (p *Packet) unframe(l layout) {
	drop := p.Drop
	p.Shrink(l.header, l.padding+tagSize)
	p.Drop = drop
}

// putShort writes a short header (RFC 9000 section 17.3.1).
func (p *Packet) putShort(b []byte, l layout) {
	b[0] = fixedBit | byte(l.numberSize-1)
	if p.Spin {
		b[0] |= spinBit
	}
	if p.Phase&1 != 0 {
		b[0] |= phaseBit
	}
	copy(b[1:], p.Destination)
}

// putLong writes a long header (RFC 9000 section 17.2).
func (p *Packet) putLong(b []byte, l layout) {
	v := p.Conn.Version()
	b[0] = longForm | fixedBit | longBits(v, p.Type) | byte(l.numberSize-1)
	binary.BigEndian.PutUint32(b[1:], uint32(v))
	at := 5
	at += putID(b[at:], p.Destination)
	at += putID(b[at:], p.Source)
	if p.Type == Initial {
		size := varintSize(len(p.Token))
		putVarint(b[at:], len(p.Token), size)
		at += size
		at += copy(b[at:], p.Token)
	}
	putVarint(b[at:], len(b)-l.header+l.numberSize, l.lengthSize)
}

func putID(b, id []byte) int {
	b[0] = byte(len(id))
	return 1 + copy(b[1:], id)
}
