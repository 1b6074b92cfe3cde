package quicadapter

import (
	"bytes"

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
	for i := range datagrams {
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
		if p.Drop = p.Parse(rest, f.table.size); p.Drop != record.DropNone {
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
		p.Buf, p.Len = rest[:p.size:p.size], p.size
		rest = rest[p.size:]
	}
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
	n := len(in.packets)
	if n == cap(in.packets) {
		in.packets = append(in.packets, Packet{})
	}
	in.packets = in.packets[:n+1]
	p := &in.packets[n]
	p.Datagram, p.Conn = record.Datagram{}, nil
	p.Number, p.Phase, p.From = 0, 0, from
	return p
}
