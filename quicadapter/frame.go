package quicadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// rowEnd is where the row ends of packets from there that have one connection and type.
func rowEnd(packets []Packet, from int) int {
	first, end := &packets[from], from+1
	for end < len(packets) && packets[end].Conn == first.Conn && packets[end].Type == first.Type {
		end++
	}
	return end
}

// frameRow numbers and frames a row of packets of one connection and type, appends
// their descriptors to the n that there are, and returns how many there are then.
func (o *Outbound) frameRow(packets []Packet, from, end, n int) int {
	r, drop := packets[from].Conn.reserve(packets[from].Type, end-from)
	good := from + r.granted
	for i := range packets[good:end] {
		packets[good+i].Drop = drop
	}
	for at, number := from, r.first; at < good; at, number = at+1, number+1 {
		if done := o.frameAlike(packets[:good], at, n, &r, number); done > 0 {
			n += done
			if at, number = at+done, number+uint64(done); at == good {
				break
			}
		}
		p := &packets[at]
		p.Number, p.Phase, p.Drop = number, r.phase, record.DropNone
		if l, ok := p.frame(r.acked); ok {
			o.padding[n], o.order[n] = uint16(l.padding), uint8(at)
			describe(&o.burst[n], p.Content(), &r, number, l.header, l.numberSize)
			n++
		}
	}
	return n
}

// describe points a descriptor at a framed packet. The keys are mostly there from before.
func describe(e *engine.Packet, wire []byte, r *reservation, number uint64, header, size int) {
	if e.Key != r.key || e.MaskKey != r.mask {
		e.Key, e.MaskKey = r.key, r.mask
	}
	e.Buf, e.Number, e.Len = wire, number, uint32(len(wire)-header-TagSize)
	e.Off, e.AADLen, e.SampleOff = uint16(header), uint16(header), uint16(header-size+sampleSkip)
}

// frameAlike does what frameRow does, in a fraction of the time, with the packets in front
// that are as most are (see usual), and returns how many they are. The loop has no call: what
// it would have to remember over one costs as much as the rest of it.
func (o *Outbound) frameAlike(packets []Packet, from, n int, r *reservation, number uint64) (done int) {
	size, idSize := r.size, len(packets[from].Destination)
	if size == 0 || idSize != 0 && idSize < minWordsID || idSize > MaxConnectionID {
		return 0
	}
	first, header := fixedBit|byte(r.phase&1)*phaseBit|byte(size-1), 1+idSize+size
	at := from
	for ; at < len(packets); at++ {
		p := &packets[at]
		off, wire := p.Off-header, header+p.Len+TagSize
		if !p.usual(idSize, size, wire) || uint(off) > uint(len(p.Buf)) || wire > len(p.Buf)-off {
			break
		}
		b := p.Buf[off:][:wire:wire]
		if idSize == 0 {
			putNumber(b[1:], uint32(number), numberShift(size))
		} else {
			h := (*[minUsual]byte)(b)
			binary.BigEndian.PutUint32(h[header-pnum.MaxQUICLength:], uint32(number)) // the ID covers what it is too long
			putWords(h[1:], p.Destination)
		}
		b[0] = first
		if p.Spin {
			b[0] = first | spinBit
		}
		p.Off, p.Len, p.Drop, p.Number, p.Phase = off, wire, record.DropNone, number, r.phase
		i := uint8(n)
		o.padding[i], o.order[i] = 0, uint8(at)
		describe(&o.burst[i], b, r, number, header, size)
		n++
		number++
	}
	return at - from
}

// putNumber writes a number and leaves what of a word is behind it, shift bits, as it is.
func putNumber(b []byte, number uint32, shift uint) {
	rest := binary.BigEndian.Uint32(b) & (1<<shift - 1)
	binary.BigEndian.PutUint32(b, number<<shift|rest)
}

// minUsual is the length of the shortest packet of frameAlike that has an ID, which is that
// of the longest header.
const minUsual = 1 + minWordsID + sampleSkip + ciphers.MaskSize

// usual reports that nothing of a packet is to be padded or refused, room apart, and that its
// header is a short one with an ID of idSize and a number of size bytes.
func (p *Packet) usual(idSize, size, wire int) bool {
	return len(p.Destination) == idSize && len(p.Source)+len(p.Token) == 0 && !p.Greased &&
		uint(p.NumberSize) <= uint(size) && p.MinSize <= wire &&
		uint(p.Len+size-sampleSkip) <= maxDatagram-MaxShortOverhead-TagSize
}
