// Package port is where packets enter and leave the gateway. Each kind of port is a
// package of its own below this one; all of them move packets in bursts.
package port

import (
	"github.com/sealburst/sealburst/record"
)

// Port moves bursts of packets. What a packet is depends on the kind: an IP
// packet on the plain side, a datagram on the protected side.
//
// One goroutine may receive while another sends. Close wakes both.
type Port interface {
	// Receive waits for at least one packet, takes as many as are there up to
	// len(burst), and says how many. Packet i lies in burst[i], Headroom bytes
	// from the start of its buffer, and its Drop is DropNone. io.EOF means that
	// no more will come, net.ErrClosed that the port was closed.
	Receive(burst []record.Datagram) (int, error)

	// Send sends the packets whose Drop is DropNone, in order, and says how many
	// left. A packet that the port cannot take gets a Drop; only a fault of the
	// port itself is an error. Send may overwrite Buf outside the packet.
	Send(burst []record.Datagram) (int, error)

	// Close closes the port. What was sent before is sent.
	Close() error
}

const (
	// MaxBurst is the longest burst that the gateway asks a port for.
	MaxBurst = 64
	// Headroom is the room before a received packet, for the headers of the
	// other side.
	Headroom = 96
	// Tailroom is the room that a burst keeps behind the longest packet, for tags.
	Tailroom = 64
)

// NewBurst makes n empty datagrams for packets of up to size bytes, with
// Headroom before and Tailroom behind.
func NewBurst(n, size int) []record.Datagram {
	stride := Headroom + size + Tailroom
	arena := make([]byte, n*stride)
	burst := make([]record.Datagram, n)
	for i := range burst {
		burst[i] = record.Datagram{Buf: arena[i*stride:][:stride:stride], Off: Headroom}
	}
	return burst
}

// Put copies a packet into a datagram behind Headroom. One that is too long
// leaves it empty and dropped, and Put reports false.
func Put(d *record.Datagram, packet []byte) bool {
	d.Off, d.Len, d.Drop = Headroom, 0, record.DropNone
	if len(d.Buf) < Headroom || len(packet) > len(d.Buf)-Headroom {
		d.Drop = record.DropTooLong
		return false
	}
	d.Len = copy(d.Buf[Headroom:], packet)
	return true
}
