package ethernet

import "github.com/sealburst/sealburst/record"

// MaxBurst is how many frames a burst holds at most.
const MaxBurst = 64

// Burst is some frames in buffers that a device lends. Frame i is Frames[i]; its buffer
// goes by the name Buffers[i] in the device, and 0 says that there is no frame. Buffers
// of one device may be sent through another one of the same kind.
type Burst struct {
	Frames   [MaxBurst]record.Datagram
	Buffers  [MaxBurst]uintptr
	N        int
	CheckUDP bool // the sending device fills in the checksums of UDP; for bursts of UDP alone
}

// Move appends frame i to another burst and leaves a hole. That has room.
func (b *Burst) Move(i int, to *Burst) {
	to.Frames[to.N], to.Buffers[to.N] = b.Frames[i], b.Buffers[i]
	to.N++
	b.Buffers[i] = 0
	b.Frames[i] = record.Datagram{Drop: record.DropClosed} // passed over by whoever handles packets
}

// Queue is a receiving and a sending queue of a device. One thread uses it. None of its
// methods waits.
type Queue interface {
	// Receive takes the frames that are there, at most MaxBurst, in place of what the
	// burst held. Those that the device itself finds faulty have a cause.
	Receive(b *Burst)

	// Send sends the frames without a cause, in order, and says how many the device
	// took. All buffers go back to the device, and the burst is empty.
	Send(b *Burst) int

	// Exchange is Send and then Receive, for less than both cost.
	Exchange(b *Burst) int

	// Allocate puts n empty frames into the burst, in place of what it held, with room in
	// front and behind, and reports whether it had them.
	Allocate(b *Burst, n int) bool

	// ChecksUDP reports whether the device can do what Burst.CheckUDP asks for.
	ChecksUDP() bool
}

// Swift is a Queue that does part of the host's work as it receives and sends, so that packets
// are looked at once instead of twice.
type Swift interface {
	Queue

	// ReceiveTransit is Receive and then Glance.Transit.
	ReceiveTransit(b *Burst, g *Glance, sizes *[MaxBurst]int) Passed

	// ExchangeBehind is Exchange for IP packets to which the device puts the header that makes
	// frames of them. Where one does not fit, or has a cause, it does nothing and reports
	// false.
	ExchangeBehind(b *Burst, h *Header) (sent int, ok bool)
}
