package quicadapter

import (
	"bytes"
	"slices"

	"github.com/sealburst/sealburst/record"
)

// MaxCoalesced is how many packets of one datagram are opened. A handshake coalesces one
// of each type and few more; a forger could make thousands of 8 bytes.
const MaxCoalesced = 8

// keptPackets is the storage in packets that an Inbound keeps whatever the burst.
const keptPackets = 1024

// split takes the datagrams of a burst apart into in.packets.
func (in *Inbound) split(datagrams []record.Datagram) {
	before := in.reuse(len(datagrams))
	in.table.mu.RLock()
	defer in.table.mu.RUnlock()
	f := finder{table: in.table}
	for i := 0; i < len(datagrams); i++ {
		if i += in.splitShort(&f, datagrams[i:], i); i == len(datagrams) {
			break
		}
		if !datagrams[i].Valid() {
			p := in.add(i)
			p.Header, p.Drop = Header{}, record.DropFailed
			continue
		}
		in.splitOne(&f, datagrams[i].Content(), i)
	}
	if n := len(in.packets); n < len(before) {
		clear(before[n:]) // or it would keep buffers and connections of the last burst
	}
}

// reuse empties in.packets, and returns what it held. Storage that has grown beyond both
// keptPackets and twice what so many datagrams can need is let go. Twice, because append
// allocates ahead, and bursts of a steady size must find their storage again.
func (in *Inbound) reuse(datagrams int) (before []Packet) {
	if cap(in.packets) > max(keptPackets, 2*(MaxCoalesced+1)*datagrams) {
		in.packets = nil
	}
	before = in.packets
	in.packets = before[:0]
	return before
}

// splitShort takes the datagrams in front whose only packet has a short header and a
// connection that is known, as nearly all have once handshakes are over, and returns how
// many they are. from is the first one's position in the burst.
func (in *Inbound) splitShort(f *finder, datagrams []record.Datagram, from int) (taken int) {
	end, fixed := 1+f.table.size, byte(fixedBit)
	if f.table.greased {
		fixed = 0
	}
	found := len(in.packets)
	places := in.extend(len(datagrams))
	for taken = range places {
		if !f.short(&places[taken], &datagrams[taken], end, fixed) {
			in.packets = in.packets[:found+taken]
			return taken
		}
		places[taken].From = from + taken
	}
	return len(datagrams)
}

// short makes a packet of a datagram if it has a short header, with a connection ID that
// ends at end and is known, and the fixed bit as it is to be. Else it does nothing.
func (f *finder) short(p *Packet, d *record.Datagram, end int, fixed byte) bool {
	if !d.Valid() || d.Len < end || d.Len > maxDatagram {
		return false
	}
	b := d.Content()
	if b[0]&(longForm|fixed) != fixed {
		return false
	}
	c := f.find(b[1:end])
	if c == nil {
		return false
	}
	p.setShort(b, end)
	p.Buf, p.Off, p.Len, p.Drop = b, 0, len(b), record.DropNone
	p.Number, p.Phase = 0, 0
	if p.Conn != c {
		p.Conn = c
	}
	return true
}

// splitOne takes one datagram apart. Packets for another connection ID than the first's
// are refused (RFC 9000 section 12.2), and all that stands behind a packet that is refused
// is refused with it, so that its bytes cost no more than one.
func (in *Inbound) splitOne(f *finder, rest []byte, from int) {
	var id []byte
	for n := 0; n == 0 || len(rest) > 0; n++ {
		p := in.add(from)
		p.Buf, p.Len = rest, len(rest)
		if n == MaxCoalesced {
			p.Header, p.Drop = Header{}, record.DropTooLong
			return
		}
		if p.Drop = f.parse(&p.Header, rest); p.Drop != record.DropNone {
			return
		}
		if n == 0 {
			id = p.Destination
		} else if !bytes.Equal(id, p.Destination) {
			p.Drop = record.DropMalformed
			return
		}
		if p.Conn, p.Drop = f.owner(&p.Header); p.Conn == nil {
			return
		}
		p.Buf, p.Len = rest[:p.size:p.size], int(p.size)
		rest = rest[p.size:]
	}
}

// parse reads a header as the table allows.
func (f *finder) parse(h *Header, b []byte) record.Drop {
	if f.table.greased {
		return h.ParseGreased(b, f.table.size)
	}
	return h.Parse(b, f.table.size)
}

// owner finds the connection of a packet.
func (f *finder) owner(h *Header) (*Conn, record.Drop) {
	c := f.find(h.Destination)
	switch {
	case c == nil:
		return nil, record.DropUnknownSession
	case h.Version != 0 && h.Version != c.maker.version:
		return c, record.DropType
	}
	return c, record.DropNone
}

// add appends a packet, whose header Parse is to fill, to what was found. Only what an
// earlier burst can have left is cleared.
func (in *Inbound) add(from int) *Packet {
	p := &in.extend(1)[0]
	p.Datagram, p.Conn = record.Datagram{}, nil
	p.Number, p.Phase, p.From = 0, 0, from
	return p
}

// extend appends n packets as an earlier burst left them.
func (in *Inbound) extend(n int) []Packet {
	from := len(in.packets)
	if n > cap(in.packets)-from {
		in.packets = slices.Grow(in.packets, n)
	}
	in.packets = in.packets[:from+n]
	return in.packets[from:]
}
