package quicadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Outbound seals packets. It belongs to one goroutine at a time.
type Outbound struct {
	engine *engine.Engine
	drops  record.Drops

	// Of what a burst has, there is as much as a uint8 counts: such an index needs no
	// check of bounds.
	burst   [ciphers.MaxBurst]engine.Packet
	order   [ciphers.MaxBurst]uint8  // the packet of each descriptor
	padding [ciphers.MaxBurst]uint16 // of each descriptor's packet
	masks   [ciphers.MaxBurst * ciphers.MaskSize]byte
}

// NewOutbound makes the sealing side for connections of that engine, which must not be nil.
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
	countPackets(&o.drops, packets, ok)
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
	ok = o.engine.SealMask(o.masks[:ciphers.MaskSize*n], o.burst[:n])
	if ok != n {
		o.unframe(packets, n)
	}
	o.protect(n)
	return ok
}

// protect applies the masks of n packets to those that were sealed.
func (o *Outbound) protect(n int) {
	for k := range n {
		i := uint8(k)
		if e := &o.burst[i]; e.Status == ciphers.StatusOK {
			number := int(e.SampleOff) - sampleSkip
			mask := binary.BigEndian.Uint64(o.masks[ciphers.MaskSize*int(i):][:8])
			protect(e.Buf, number, int(e.Off)-number, mask)
		}
	}
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
