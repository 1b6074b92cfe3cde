// Package staging carries bursts over to C libraries and back. A burst crosses
// once, or once each time that an Area is full.
package staging

import (
	"sync"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

const (
	// size has room for the longest packet with the most associated data, and for
	// a burst of 256 packets of 600 bytes.
	size = 160 << 10
	// line is where payloads and associated data start.
	line = 64
)

// Area is what one crossing takes along: payloads and associated data one after
// the other, and a record of where each packet's are. The C side works in place.
//
// It holds no Go pointer, so that C may have it as it is, whatever memory the
// caller's packets lie in. To copy a packet in and out takes 8 ns at 64 bytes, 70
// at 1450 and 390 at 8192. The other ways cost more for packets, or refuse some:
// to pin each buffer takes 85 ns, and its address as an argument, which takes 17,
// makes cgo panic when the buffer lies in an object that has Go pointers too.
//
// Plaintext stays in an area until a later burst overwrites it.
type Area struct {
	count   uint32
	used    uint32 // of bytes
	_       [56]byte
	records [ciphers.MaxBurst]record
	bytes   [size]byte
}

// record is a packet as the C side sees it, struct record of staging.h. Offsets
// count from the start of the area's bytes.
type record struct {
	key       uint64 // the address of the library's own
	nonce     [16]byte
	payload   uint32
	length    uint32 // of the payload; the tag follows it
	aad       uint32
	aadLength uint32
	nonceSize uint8
	tagSize   uint8
	status    ciphers.Status
	_         [21]byte
}

// The layout that staging.h asserts on its side.
var (
	_ [64]byte                       = [unsafe.Sizeof(record{})]byte{}
	_ [8]byte                        = [unsafe.Offsetof(record{}.nonce)]byte{}
	_ [24]byte                       = [unsafe.Offsetof(record{}.payload)]byte{}
	_ [40]byte                       = [unsafe.Offsetof(record{}.nonceSize)]byte{}
	_ [42]byte                       = [unsafe.Offsetof(record{}.status)]byte{}
	_ [64]byte                       = [unsafe.Offsetof(Area{}.records)]byte{}
	_ [64 + 64*ciphers.MaxBurst]byte = [unsafe.Offsetof(Area{}.bytes)]byte{}
	_ [1]byte                        = [ciphers.StatusOK]byte{}
	_ [2]byte                        = [ciphers.StatusAuth]byte{}
	_ [17]byte                       = [ciphers.StatusBackend]byte{}
)

var areas = sync.Pool{New: func() any { return new(Area) }}

// Pointer is what the C side gets: struct area of staging.h.
func (a *Area) Pointer() unsafe.Pointer { return unsafe.Pointer(a) }

// take returns n bytes and where they start, or false when there is no room.
func (a *Area) take(n int) (at uint32, b []byte, ok bool) {
	at = (a.used + line - 1) &^ (line - 1)
	end := int(at) + n
	if end > size {
		return 0, nil, false
	}
	a.used = uint32(end)
	return at, a.bytes[at:end:end], true
}

// stage adds a packet with its associated data and its payload, which is length
// bytes and for opening the tag. It reports whether there was room.
func (a *Area) stage(p *ciphers.Packet, slot int, payload []byte, length int) bool {
	k := p.Key
	aadAt, aad, ok := a.take(len(p.Prefix) + int(p.AADLen))
	if !ok {
		return false
	}
	at, room, ok := a.take(length + k.TagSize())
	if !ok {
		return false
	}
	if n := copy(aad, p.Prefix); n != len(aad) {
		copy(aad[n:], p.Buf[p.AADOff:])
	}
	copy(room, payload)
	r := &a.records[a.count]
	a.count++
	r.key = uint64(*handle(k.State(slot)))
	r.setNonce(p)
	r.payload, r.length = at, uint32(length)
	r.aad, r.aadLength = aadAt, uint32(len(aad))
	r.tagSize, r.status = uint8(k.TagSize()), ciphers.StatusBackend
	return true
}

func (r *record) setNonce(p *ciphers.Packet) {
	n := p.Key.NonceSize()
	r.nonceSize = uint8(n)
	if n == 13 {
		r.nonce[0] = p.Key.Lead()
		copy(r.nonce[1:], p.Nonce()[:])
		return
	}
	copy(r.nonce[:], p.Nonce()[:])
}
