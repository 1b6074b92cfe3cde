//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// line is where payloads and associated data start.
const line = 64

// chunk is the part of a burst that one crossing takes along, in memory that the
// device reaches.
type chunk struct {
	c     *C.struct_chunk
	bytes []byte // what it has of it for packets that are copied
	base  uint64 // their address
	at    int    // a lane's number for it
	burst int    // a lane's number for the burst that it is part of
}

// newChunk makes a chunk, or returns nil.
func (d *Device) newChunk() *chunk {
	c := C.cryptodev_chunk(d.c)
	if c == nil {
		return nil
	}
	first := &c.bytes[0]
	return &chunk{c: c, bytes: unsafe.Slice((*byte)(first), C.ROOM), base: address((*byte)(first))}
}

func (d *Device) free(c *chunk) { C.cryptodev_chunk_free(d.c, c.c) }

// address is where memory that is not Go's, or is pinned, lies.
func address(at *byte) uint64 { return uint64(uintptr(unsafe.Pointer(at))) }

// fill takes in packets of a burst, as many as there is room for and at least one,
// and returns how many. What goes beyond the limits has its status afterwards, and
// is not taken in.
func (c *chunk) fill(x *aead, b ciphers.Burst, index []uint8, d ciphers.Direction) int {
	c.c.count, c.c.used, c.c.opening = 0, 0, 0
	if d == ciphers.Opening {
		c.c.opening = 1
	}
	for n, i := range index {
		p := &b.Packets[i]
		if p.Status = x.refuses(p, d); p.Status != ciphers.StatusNone {
			continue
		}
		if !c.stage(x, p, b.Slot) {
			return n
		}
		c.c.records[c.c.count].packet = C.uint8_t(i)
		c.c.count++
	}
	return len(index)
}

// take returns n bytes and where they start, or false when there is no room.
func (c *chunk) take(n int) (at int, b []byte, ok bool) {
	at = (int(c.c.used) + line - 1) &^ (line - 1)
	if at+n > len(c.bytes) {
		return 0, nil, false
	}
	c.c.used = C.uint32_t(at + n)
	return at, c.bytes[at : at+n : at+n], true
}

// deliver gives the packets their results and returns how many are StatusOK.
func (c *chunk) deliver(d *Device, b ciphers.Burst) (ok int) {
	var placed, bytes, failed uint64
	for j := range c.c.records[:c.c.count] {
		r := &c.c.records[j]
		p := &b.Packets[r.packet]
		p.Status = ciphers.Status(r.status)
		switch p.Status {
		case ciphers.StatusOK:
			ok++
		case ciphers.StatusBackend:
			failed++
		}
		if r.in_place != 0 {
			placed++
			continue
		}
		bytes += uint64(r.length)
		c.copyOut(r, p)
	}
	d.count(placed, uint64(c.c.count)-placed, bytes, failed)
	return ok
}

// abandon gives up the packets, which the device keeps. What it may have opened
// where it lay is zeroed.
func (c *chunk) abandon(b ciphers.Burst) {
	for j := range c.c.records[:c.c.count] {
		r := &c.c.records[j]
		p := &b.Packets[r.packet]
		p.Status = ciphers.StatusBackend
		if r.in_place != 0 && c.c.opening != 0 {
			clear(c.target(p, p.Key.TagSize()))
		}
	}
}

func (c *chunk) copyOut(r *C.struct_record, p *ciphers.Packet) {
	tag := p.Key.TagSize()
	to := c.target(p, tag)
	switch p.Status {
	case ciphers.StatusAuth:
		clear(to)
	case ciphers.StatusOK:
		n := copy(to[:r.length], c.bytes[uint64(r.message)-c.base+uint64(r.head):])
		copy(to[n:], c.bytes[uint64(r.tag)-c.base:]) // nothing when opening
	}
}

func (d *Device) count(placed, copied, bytes, failed uint64) {
	if placed != 0 {
		d.placed.Add(placed)
	}
	if copied != 0 {
		d.copied.Add(copied)
		d.bytes.Add(bytes)
	}
	if failed != 0 {
		d.failed.Add(failed)
	}
}
