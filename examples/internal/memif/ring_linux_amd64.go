package memif

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// A ring in shared memory, in cache lines of 64 bytes:
//
//	cookie (4)  flags (2)  head (2)  |  tail (2)  |  descriptors
//
// The client moves head and this end tail, in either direction: what is from tail up to
// head are packets of the client's, or empty buffers for packets to it. The other end may
// write anything there at any time: what it says is read once and looked at before it is
// used.
type ring struct {
	region []byte
	header []byte // up to the descriptors
	table  []byte // of descriptors
	mask   uint16
	tail   uint16
}

const (
	cookie      = 0x3e31f20
	tailAt      = 64
	tableAt     = 128
	maxLogRing  = 15
	silentFlag  = 1 // of the ring: do not wake this end
	moreFlag    = 1 // of a descriptor: the frame goes on in the next one
	description = 16
)

func newRing(region []byte, offset uint32, logSize byte) (ring, error) {
	size := uint64(tableAt) + description<<logSize
	if logSize > maxLogRing || uint64(offset)+size > uint64(len(region)) || offset%64 != 0 {
		return ring{}, fmt.Errorf("%w: a ring of 2^%d at %d of %d bytes", ErrProtocol, logSize, offset, len(region))
	}
	at := region[offset:][:size]
	r := ring{region: region, header: at[:tableAt], table: at[tableAt:], mask: 1<<logSize - 1}
	if got := atomic.LoadUint32(r.word(0)); got != cookie {
		return ring{}, fmt.Errorf("%w: a ring begins with %#x", ErrProtocol, got)
	}
	return r, nil
}

// word is 32 bits of the header.
func (r *ring) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&r.header[at])) }

// quiet tells the other end not to wake this one. It has sent nothing yet.
func (r *ring) quiet() { atomic.StoreUint32(r.word(4), atomic.LoadUint32(r.word(4))|silentFlag) }

// waiting is how many descriptors are this end's.
func (r *ring) waiting() int {
	return min(int(uint16(atomic.LoadUint32(r.word(4))>>16)-r.tail), int(r.mask)+1)
}

// done gives n descriptors back.
func (r *ring) done(n int) {
	r.tail += uint16(n)
	atomic.StoreUint32(r.word(tailAt), uint32(r.tail))
}

// descriptor is one buffer as the other end describes it: flags (2), region (2), length
// (4), offset (4), and what nobody uses.
type descriptor struct {
	flags, region  uint16
	length, offset uint32
	_              uint32
}

// at is descriptor i from tail on.
func (r *ring) at(i int) *descriptor {
	slot := int((r.tail + uint16(i)) & r.mask)
	return (*descriptor)(unsafe.Pointer(&r.table[slot*description]))
}

// buffer is where a descriptor points, nil if that is nowhere.
func (r *ring) buffer(d descriptor) []byte {
	end := uint64(d.offset) + uint64(d.length)
	if d.region != 0 || end > uint64(len(r.region)) {
		return nil
	}
	return r.region[d.offset:end]
}

// Receive shows take every frame that is there, in memory that is the other end's again
// afterwards, and returns how many there were. Frames in several buffers, and those
// that lie nowhere, are shown as nil.
func (l *Link) Receive(take func(frame []byte)) int {
	n, more := l.in.waiting(), false
	for i := range n {
		d := *l.in.at(i)
		frame := l.in.buffer(d)
		if more || d.flags&moreFlag != 0 {
			frame = nil
		}
		more = d.flags&moreFlag != 0
		take(frame)
	}
	l.in.done(n)
	return n
}

// Skip gives every frame that is there back unseen, and returns how many there were.
func (l *Link) Skip() int {
	n := l.in.waiting()
	l.in.done(n)
	return n
}

// Room is how many frames the ring holds that Receive empties: when it finds so many, the
// other end may have waited.
func (l *Link) Room() int { return int(l.in.mask) + 1 }

// Send copies a frame to the other end. It reports false when that has no buffer of the
// frame's length.
func (l *Link) Send(frame []byte) bool {
	if l.out.waiting() == 0 {
		return false
	}
	d := l.out.at(0)
	buffer := l.out.buffer(*d)
	if len(frame) > len(buffer) {
		return false
	}
	copy(buffer, frame)
	d.flags, d.length = 0, uint32(len(frame))
	l.out.done(1)
	return true
}
