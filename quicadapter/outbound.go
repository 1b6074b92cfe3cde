package quicadapter

import (
	"errors"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Outbound seals packets. It belongs to one goroutine at a time.
type Outbound struct {
	engine *engine.Engine
	drops  record.Drops

	burst   [ciphers.MaxBurst]engine.Packet
	order   [ciphers.MaxBurst]uint8 // the packet of each descriptor
	layouts [ciphers.MaxBurst]layout
	masks   [ciphers.MaxBurst * ciphers.MaskSize]byte
}

// NewOutbound makes the sealing side for connections of that engine.
func NewOutbound(e *engine.Engine) *Outbound { return &Outbound{engine: e} }

// Seal protects a burst of any length, of any mix of connections and types, and returns
// how many packets succeeded. Their content is then the packet on the wire. Numbers are
// given out in order within a connection's number space; where a packet fails, its
// number may be lost, which QUIC allows.
//
// A packet that fails has a Drop and is not to be sent; its payload is as it was but for
// the room round it. DropEpoch means that there are no keys of the type, DropLimit that
// numbers or the use of the key are exhausted.
func (o *Outbound) Seal(packets []Packet) (ok int) {
	for rest := packets; len(rest) > 0; {
		n := min(len(rest), ciphers.MaxBurst)
		ok += o.sealBurst(rest[:n])
		rest = rest[n:]
	}
	var t record.Tally
	for i := range packets {
		t[packets[i].Drop]++
	}
	o.drops.Add(&t)
	return ok
}

// Drops counts packets by cause; DropNone counts those that succeeded.
func (o *Outbound) Drops() record.Tally { return o.drops.Snapshot() }

func (o *Outbound) sealBurst(packets []Packet) (ok int) {
	n := 0
	for from := 0; from < len(packets); {
		end := rowEnd(packets, from)
		n = o.frameRow(packets, from, end, n)
		from = end
	}
	burst := o.burst[:n]
	o.engine.SealMask(o.masks[:ciphers.MaskSize*n], burst)
	for i := range burst {
		p := &packets[o.order[i]]
		if p.Drop = record.DropOf(burst[i].Status); p.Drop != record.DropNone {
			p.unframe(o.layouts[i])
			continue
		}
		l := &o.layouts[i]
		protect(p.Content(), l.header-l.numberSize, l.numberSize, o.masks[ciphers.MaskSize*i:][:ciphers.MaskSize])
		ok++
	}
	return ok
}

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
	row := packets[from:end]
	c, t := row[0].Conn, row[0].Type
	r, drop := c.reserve(t, len(row))
	for i := range row {
		p := &row[i]
		p.Drop = drop
		if drop == record.DropNone && i >= r.granted {
			p.Drop = record.DropLimit
		}
		if p.Drop == record.DropNone {
			p.Drop = p.check()
		}
		if p.Drop != record.DropNone {
			continue
		}
		p.Number, p.Phase = r.first+uint64(i), r.phase
		l, cause := p.plan(r.acked)
		if p.Drop = cause; cause != record.DropNone || !p.frame(l) {
			continue
		}
		o.layouts[n], o.order[n] = l, uint8(from+i)
		describe(&o.burst[n], p, l, &r)
		n++
	}
	return n
}

// describe points a descriptor at a framed packet.
func describe(e *engine.Packet, p *Packet, l layout, r *reservation) {
	e.Buf, e.Key, e.MaskKey, e.Number = p.Content(), r.key, r.mask, p.Number
	e.Off, e.AADLen = uint16(l.header), uint16(l.header)
	e.Len = uint32(len(e.Buf) - l.header - tagSize)
	e.SampleOff = uint16(l.header - l.numberSize + sampleSkip)
}

// reservation is what a row of packets is sealed with.
type reservation struct {
	key, mask *engine.Key
	first     uint64
	granted   int
	acked     uint64
	phase     uint64
}

// reserve takes keys and n numbers for packets of a type.
func (c *Conn) reserve(t Type, n int) (r reservation, drop record.Drop) {
	switch {
	case c == nil:
		return r, record.DropUnknownSession
	case !t.HasKeys():
		return r, record.DropType
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.seal[t]
	switch {
	case errors.Is(c.err, ErrClosed):
		return r, record.DropClosed
	case k == nil || k.key == nil:
		return r, record.DropEpoch
	}
	s := &c.spaces[t.space()]
	first, granted, err := k.sender.Reserve(n)
	if granted == 0 && err != nil {
		return r, record.DropLimit
	}
	s.next = first + uint64(granted)
	r = reservation{key: k.key, mask: k.mask, first: first, granted: granted, acked: s.acked}
	if t == OneRTT {
		r.phase = c.phases.current
	}
	return r, record.DropNone
}
