package ethernet

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// Frames puts the headers in front of the IP packets of a burst that make them frames to
// neighbours, hops[i] of packet i. A packet that has a cause is passed over; one gets a
// cause that is longer than mtu, or has no neighbour, or one of which it is not known
// where it lives.
func (h *Host) Frames(burst []record.Datagram, hops []*Neighbour, mtu int) {
	var to *Neighbour
	var mac uint64
	hops = hops[:len(burst)]
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		if hops[i] != to {
			to, mac = hops[i], 0
			if to != nil {
				mac = to.mac.Load()
			}
		}
		switch {
		case mac&known == 0:
			d.Drop = record.DropUnknownSession
		case d.Len > mtu:
			d.Drop = record.DropTooLong
		case d.Off < HeaderSize:
			d.Drop = record.DropHeadroom
		default:
			h.putWords(d, mac)
		}
	}
}

// putWords writes the header of a frame to a hardware address: the second word overlaps
// the first one.
func (h *Host) putWords(d *record.Datagram, to uint64) {
	d.Off, d.Len = d.Off-HeaderSize, d.Len+HeaderSize
	header := (*[HeaderSize + 1]byte)(d.Buf[d.Off:])
	ether := uint64(typeIPv4)
	if header[HeaderSize]>>4 == 6 {
		ether = typeIPv6
	}
	binary.BigEndian.PutUint64(header[:], to<<16|h.own>>32)
	binary.BigEndian.PutUint64(header[6:], h.own<<16|ether)
}
