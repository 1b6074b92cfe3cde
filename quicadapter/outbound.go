package quicadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Outbound seals packets. It belongs to one goroutine at a time.
type Outbound struct {
	engine *engine.Engine
	drops  record.Drops

	burst   [ciphers.MaxBurst]engine.Packet
	order   [ciphers.MaxBurst]uint8  // the packet of each descriptor
	padding [ciphers.MaxBurst]uint16 // of each descriptor's packet
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
	o.count(packets, ok)
	return ok
}

// Drops counts packets by cause; DropNone counts those that succeeded.
func (o *Outbound) Drops() record.Tally { return o.drops.Snapshot() }

// count counts packets, all but ok of which were dropped.
func (o *Outbound) count(packets []Packet, ok int) {
	var t record.Tally
	t[record.DropNone] = uint64(ok)
	for i := 0; i < len(packets) && ok != len(packets); i++ {
		if drop := packets[i].Drop; drop != record.DropNone {
			t[drop]++
		}
	}
	o.drops.Add(&t)
}

func (o *Outbound) sealBurst(packets []Packet) (ok int) {
	n := 0
	for from := 0; from < len(packets); {
		end := rowEnd(packets, from)
		n = o.frameRow(packets, from, end, n)
		from = end
	}
	ok = o.engine.SealMask(o.masks[:ciphers.MaskSize*n], o.burst[:n])
	if ok != n {
		o.unframe(packets, n)
	}
	for i := range o.burst[:n] {
		if e := &o.burst[i]; e.Status == ciphers.StatusOK {
			number := int(e.SampleOff) - sampleSkip
			protect(e.Buf, number, int(e.Off)-number, o.masks[ciphers.MaskSize*i:][:ciphers.MaskSize])
		}
	}
	return ok
}

// unframe takes back what was done to those of n packets that were not sealed.
func (o *Outbound) unframe(packets []Packet, n int) {
	for i := range o.burst[:n] {
		e, p := &o.burst[i], &packets[o.order[i]]
		if p.Drop = record.DropOf(e.Status); p.Drop != record.DropNone {
			p.unframe(int(e.Off), int(o.padding[i]))
		}
	}
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
	r, drop := row[0].Conn.reserve(row[0].Type, len(row))
	for i := range row[r.granted:] {
		row[r.granted+i].Drop = drop
	}
	for i := range row[:r.granted] {
		p := &row[i]
		p.Number, p.Phase, p.Drop = r.first+uint64(i), r.phase, record.DropNone
		header, padding, size := p.frameShort(r.size), 0, r.size
		if header == 0 {
			l, ok := p.frame(r.acked)
			if !ok {
				continue
			}
			header, padding, size = l.header, l.padding, l.numberSize
		}
		o.padding[n], o.order[n] = uint16(padding), uint8(from+i)
		describe(&o.burst[n], p, &r, header, size)
		n++
	}
	return n
}

// describe points a descriptor at a framed packet. The keys are mostly there from before.
func describe(e *engine.Packet, p *Packet, r *reservation, header, size int) {
	if e.Key != r.key || e.MaskKey != r.mask {
		e.Key, e.MaskKey = r.key, r.mask
	}
	e.Buf, e.Number = p.Content(), p.Number
	e.Off, e.AADLen = uint16(header), uint16(header)
	e.Len = uint32(p.Len - header - TagSize)
	e.SampleOff = uint16(header - size + sampleSkip)
}
