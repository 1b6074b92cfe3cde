package quicadapter

import (
	"crypto/subtle"

	"github.com/sealburst/sealburst/record"
)

// Packet is one packet, on its way out or in.
//
// To be sealed, its content is the payload, with room for the header in front and for
// padding and tag behind; Conn and Header say the rest. Sealed, its content is the
// packet on the wire, and Number is set.
//
// Opened, its content is the payload, in the datagram's memory, and Number, Phase and
// Header are set. A packet that was dropped has its place on the wire as content, header
// and tag included; how far the bytes were worked on is not promised. Where its Drop is
// DropEpoch or DropUnknownSession they are as they came, so that they can be handed in
// again when the keys are there. A packet that ends the splitting of its datagram has all
// the rest of the datagram as content; see Inbound.Open.
type Packet struct {
	record.Datagram
	Header
	Conn   *Conn
	Number uint64
	Phase  uint64 // OneRTT: key updates so far; its lowest bit is the wire's key phase
	From   int    // opened: the position of its datagram in the burst

	NumberSize int // to seal: at least so many bytes of number, 0 to 4
	MinSize    int // to seal: PADDING frames make the packet at least so long on the wire
}

// resetTokenSize is the length of a stateless reset token (RFC 9000 section 10.3).
const resetTokenSize = 16

// IsReset reports that a packet that could not be opened ends in that stateless reset
// token, in constant time (RFC 9000 section 10.3.1).
func (p *Packet) IsReset(token *[resetTokenSize]byte) bool {
	b := p.Content()
	if p.Type != OneRTT || p.Drop == record.DropNone || len(b) < resetTokenSize+5 {
		return false
	}
	return subtle.ConstantTimeCompare(b[len(b)-resetTokenSize:], token[:]) == 1
}

// countPackets counts packets by cause, ok of which have none.
func countPackets(d *record.Drops, packets []Packet, ok int) {
	if ok == len(packets) {
		d.Count(record.DropNone, ok)
		return
	}
	var t record.Tally
	for i := range packets {
		t[packets[i].Drop]++
	}
	d.Add(&t)
}
