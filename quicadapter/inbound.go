package quicadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Inbound opens datagrams. It belongs to one goroutine at a time.
type Inbound struct {
	engine *engine.Engine
	finder finder
	drops  record.Drops

	packets []Packet

	// Of what a burst has, there is as much as a uint8 counts: such an index needs no
	// check of bounds.
	burst [ciphers.MaxBurst]engine.Packet
	order [ciphers.MaxBurst]uint8 // the packet of each descriptor
	masks [ciphers.MaxBurst * ciphers.MaskSize]byte
}

// NewInbound makes the opening side for the connections in a table, whose keys are of
// that engine. Neither may be nil.
func NewInbound(e *engine.Engine, t *Table) *Inbound {
	return &Inbound{engine: e, finder: finder{table: t}}
}

// Open splits a burst of any number of datagrams into packets and opens them. It returns
// all packets that it found, in order, in storage that the next call uses again, and how
// many of them have no Drop. A datagram none of whose packets is good gets its first
// packet's Drop.
//
// A datagram is split up to the first packet of an unknown connection, of another
// connection ID than the first packet's, or with a header that cannot be read, and into
// MaxCoalesced packets at most. What is left then is one packet with a Drop:
// DropUnknownSession, DropMalformed, what Header.Parse said, or DropTooLong.
//
// Retry and VersionNegotiation packets have no protection to remove: they count as good,
// and nothing about them is proved.
//
// All numbers are recovered from what was authentic before the burst. That is enough:
// senders take as many bytes as recovery needs from the highest number acknowledged.
func (in *Inbound) Open(datagrams []record.Datagram) (packets []Packet, ok int) {
	in.split(datagrams)
	for rest := in.packets; len(rest) > 0; {
		n := min(len(rest), ciphers.MaxBurst)
		in.openBurst(rest[:n])
		rest = rest[n:]
	}
	return in.packets, in.tally(datagrams)
}

// Drops counts packets, not datagrams, by cause; DropNone counts those that are good.
func (in *Inbound) Drops() record.Tally { return in.drops.Snapshot() }

// tally gives each datagram its cause, and counts the packets.
func (in *Inbound) tally(datagrams []record.Datagram) (ok int) {
	last := -1
	for i := range in.packets {
		p := &in.packets[i]
		if p.Drop == record.DropNone {
			ok++
			datagrams[p.From].Drop = record.DropNone
		} else if p.From != last {
			datagrams[p.From].Drop = p.Drop
		}
		last = p.From
	}
	countPackets(&in.drops, in.packets, ok)
	return ok
}

func (in *Inbound) openBurst(packets []Packet) {
	n := in.locate(packets)
	in.engine.Mask(in.masks[:ciphers.MaskSize*n], in.burst[:n])
	n = in.unmask(packets, n)
	in.engine.Open(in.burst[:n])
	in.settle(packets, n)
}
