//go:build dpdk

package dpdk

/*
#cgo noescape sb_receive
#cgo nocallback sb_receive
#cgo noescape sb_send
#cgo nocallback sb_send
#cgo noescape sb_exchange
#cgo nocallback sb_exchange
#cgo noescape sb_exchange_behind
#cgo nocallback sb_exchange_behind
#cgo noescape sb_receive_transit
#cgo nocallback sb_receive_transit
#cgo noescape sb_allocate
#cgo nocallback sb_allocate

#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// Queue is what one thread has of a device. Its C side reads and writes bursts as they
// lie in Go's memory: their buffers are DPDK's, so that no Go pointer is in what it sees.
type Queue struct {
	native    *C.struct_sb_queue
	at        C.uintptr_t // of native: a pointer cgo would compare with Go's own each time
	receiving bool
	checksUDP bool
}

var _ ethernet.Swift = (*Queue)(nil)

// sb_datagram is record.Datagram, sb_glance ethernet.Glance, sb_header ethernet.Header, and
// SB_BURST the length of a burst: an index out of range says that they are not.
var (
	_ = [1]int{}[unsafe.Sizeof(record.Datagram{})-C.sizeof_struct_sb_datagram]
	_ = [1]int{}[unsafe.Offsetof(record.Datagram{}.Off)-unsafe.Offsetof(C.struct_sb_datagram{}.off)]
	_ = [1]int{}[unsafe.Offsetof(record.Datagram{}.Len)-unsafe.Offsetof(C.struct_sb_datagram{}.len)]
	_ = [1]int{}[unsafe.Offsetof(record.Datagram{}.Drop)-unsafe.Offsetof(C.struct_sb_datagram{}.drop)]
	_ = [1]int{}[unsafe.Sizeof(record.DropNone)-unsafe.Sizeof(C.struct_sb_datagram{}.drop)]
	_ = [1]int{}[ethernet.MaxBurst-C.SB_BURST]
	_ = [1]int{}[unsafe.Sizeof(ethernet.Glance{})-C.sizeof_struct_sb_glance]
	_ = [1]int{}[unsafe.Offsetof(ethernet.Glance{}.Aging)-unsafe.Offsetof(C.struct_sb_glance{}.aging)]
	_ = [1]int{}[unsafe.Sizeof(ethernet.Header{})-C.sizeof_struct_sb_header]
	_ = [1]int{}[unsafe.Offsetof(ethernet.Header{}.Longest)-unsafe.Offsetof(C.struct_sb_header{}.longest)]
)

func newQueue(d *Device, number int, receiving bool, sending int, lock unsafe.Pointer) *Queue {
	native := (*C.struct_sb_queue)(C.calloc(1, C.sizeof_struct_sb_queue))
	native.port, native.receive, native.send = d.port, C.uint16_t(number), C.uint16_t(sending)
	native.pool, native.lock = d.config.Pool.native, lock
	native.chained, native.bad_checksum = C.uint8_t(record.DropTooLong), C.uint8_t(record.DropMalformed)
	return &Queue{native: native, at: C.uintptr_t(uintptr(unsafe.Pointer(native))), receiving: receiving, checksUDP: d.ChecksUDP}
}

// ChecksUDP reports whether the device fills in UDP checksums.
func (q *Queue) ChecksUDP() bool { return q.checksUDP }

// addresses are where a burst's frames and buffers lie, for a call that is over before
// the burst goes. As pointers, cgo would look through all memory round them.
func addresses(b *ethernet.Burst) (frames, buffers C.uintptr_t) {
	return C.uintptr_t(uintptr(unsafe.Pointer(&b.Frames))), C.uintptr_t(uintptr(unsafe.Pointer(&b.Buffers)))
}

// Receive takes the frames that are there. One in several buffers is dropped: buffers are
// as long as the MTU asks for, so that it is longer. So is one with a wrong checksum.
func (q *Queue) Receive(b *ethernet.Burst) {
	b.N = 0
	if q.receiving {
		frames, buffers := addresses(b)
		b.N = int(C.sb_receive(q.at, frames, buffers))
		runtime.KeepAlive(b)
	}
}

// ReceiveTransit takes the frames that are there, and those in front that pass.
func (q *Queue) ReceiveTransit(b *ethernet.Burst, g *ethernet.Glance, sizes *[ethernet.MaxBurst]int) ethernet.Passed {
	b.N = 0
	if !q.receiving {
		return ethernet.Passed{}
	}
	frames, buffers := addresses(b)
	p := C.sb_receive_transit(q.at, frames, buffers, C.uintptr_t(uintptr(unsafe.Pointer(g))), C.uintptr_t(uintptr(unsafe.Pointer(sizes))))
	runtime.KeepAlive(b)
	runtime.KeepAlive(g)
	runtime.KeepAlive(sizes)
	b.N = int(p.received)
	return ethernet.Passed{N: int(p.passed), Bytes: int(p.bytes), One: bool(p.one)}
}

// Send sends the frames without a cause and gives all buffers back. What the device does
// not take, after some tries, is lost.
func (q *Queue) Send(b *ethernet.Burst) int {
	if b.N == 0 {
		return 0
	}
	frames, buffers := addresses(b)
	sent := int(C.sb_send(q.at, frames, buffers, C.uint16_t(b.N), C.bool(b.CheckUDP)))
	runtime.KeepAlive(b)
	b.N = 0
	return sent
}

// Exchange sends, and then takes the frames that are there, in one crossing.
func (q *Queue) Exchange(b *ethernet.Burst) int {
	if b.N == 0 || !q.receiving {
		sent := q.Send(b)
		q.Receive(b)
		return sent
	}
	frames, buffers := addresses(b)
	e := C.sb_exchange(q.at, frames, buffers, C.uint16_t(b.N), C.bool(b.CheckUDP))
	runtime.KeepAlive(b)
	b.N = int(e.received)
	return int(e.sent)
}

// ExchangeBehind sends packets behind a header, and then takes the frames that are there, in
// one crossing.
func (q *Queue) ExchangeBehind(b *ethernet.Burst, h *ethernet.Header) (sent int, ok bool) {
	if b.N == 0 || !q.receiving {
		return 0, false
	}
	frames, buffers := addresses(b)
	header := C.uintptr_t(uintptr(unsafe.Pointer(h)))
	e := C.sb_exchange_behind(q.at, frames, buffers, C.uint16_t(b.N), C.bool(b.CheckUDP), header)
	runtime.KeepAlive(b)
	runtime.KeepAlive(h)
	if e.sent == C.SB_REFUSED {
		return 0, false
	}
	b.N = int(e.received)
	return int(e.sent), true
}

// Allocate takes empty buffers from the pool.
func (q *Queue) Allocate(b *ethernet.Burst, n int) bool {
	frames, buffers := addresses(b)
	b.N = int(C.sb_allocate(q.at, frames, buffers, C.uint16_t(n)))
	runtime.KeepAlive(b)
	return b.N == n
}
