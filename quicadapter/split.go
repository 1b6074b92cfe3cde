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
	f := &in.finder
	f.begin()
	defer f.end()
	for i := 0; i < len(datagrams); i++ {
		if i += in.splitShort(f, datagrams[i:], i); i == len(datagrams) {
			break
		}
		if !datagrams[i].Valid() {
			p := in.add(i)
			p.Header, p.Drop = Header{}, record.DropFailed
			continue
		}
		in.splitOne(f, datagrams[i].Content(), i)
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
	found := len(in.packets)
	places := in.extend(len(datagrams))
	for n := 1; n > 0 && taken < len(datagrams); taken += n {
		places[taken].makeBlank()
		n = f.shortRow(places[taken:], datagrams[taken:], from+taken)
	}
	in.packets = in.packets[:found+taken]
	return taken
}

// shortRow makes packets of the datagrams in front that are a packet each, with a short
// header, the fixed bit as it is to be and the ID of one connection, and returns how many
// they are. It also ends at a place that is not blank. The loop has no call: what it would
// have to remember over one costs as much as the rest of it.
func (f *finder) shortRow(places []Packet, datagrams []record.Datagram, from int) int {
	t, end := f.table, 1+f.table.size
	bits, fixed := f.shortBits()
	key, c := f.shortOwner(&datagrams[0])
	if c == nil {
		return 0
	}
	places = places[:len(datagrams)]
	for i := range datagrams {
		d, p := &datagrams[i], &places[i]
		off, n := d.Off, d.Len
		if n < shortWindow || n > maxDatagram || uint(off) > uint(len(d.Buf)) || n > len(d.Buf)-off {
			return i
		}
		b := d.Buf[off:][:n:n]
		if b[0]&bits != fixed || t.mask.key((*[shortWindow]byte)(b)) != key || !p.blank() {
			return i
		}
		p.setShort(b, end)
		p.Buf, p.Off, p.Len, p.Drop = b, 0, n, record.DropNone
		p.Number, p.Phase, p.From = 0, 0, from+i
		if p.Conn != c {
			p.Conn = c
		}
	}
	return len(datagrams)
}

// shortOwner finds the connection of a datagram with a short header, and its ID's key. There
// is none for other datagrams.
func (f *finder) shortOwner(d *record.Datagram) (key idKey, c *Conn) {
	bits, fixed := f.shortBits()
	if !d.Valid() || d.Len < shortWindow || d.Buf[d.Off]&bits != fixed {
		return key, nil
	}
	key = f.table.mask.key((*[shortWindow]byte)(d.Content()))
	return key, f.look(key)
}

// shortBits are the bits of a first byte by which to know a short header that is good, and
// what they are to be: the form, and the fixed bit where it is not greased.
func (f *finder) shortBits() (bits, fixed byte) {
	if f.greased {
		return longForm, 0
	}
	return longForm | fixedBit, fixedBit
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
	if f.greased {
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
