//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import "github.com/sealburst/sealburst/ciphers"

// Seal waits for the device.
func (x *aead) Seal(b ciphers.Burst) int { return x.run(b, ciphers.Sealing) }

// Open waits for the device.
func (x *aead) Open(b ciphers.Burst) int { return x.run(b, ciphers.Opening) }

func (x *aead) run(b ciphers.Burst, way ciphers.Direction) (ok int) {
	d := x.device
	c := d.takeChunk()
	rest := b.Index
	for len(rest) > 0 && c != nil && !d.down.Load() {
		n := c.fill(x, b, rest, way)
		if !d.process(c) {
			c.abandon(b)
			c = nil // the device may still write to it
			break
		}
		ok += c.deliver(d, b)
		rest = rest[n:]
	}
	d.fail(b, rest)
	d.giveChunk(c)
	return ok
}

// fail gives up packets.
func (d *Device) fail(b ciphers.Burst, index []uint8) {
	for _, i := range index {
		b.Packets[i].Status = ciphers.StatusBackend
	}
	d.count(0, 0, 0, uint64(len(index)))
}

// process does a chunk. It reports false, and the device is down, when the device
// does not give it back.
func (d *Device) process(c *chunk) bool {
	if c.c.count == 0 {
		return true
	}
	if d.traits.cpu {
		C.cryptodev_process(d.c, c.c)
		return true
	}
	l := d.takePair()
	if l == nil {
		return false
	}
	if !bool(C.cryptodev_run(l, c.c, C.uint64_t(patience))) {
		d.down.Store(true)
		d.change.Broadcast()
		return false
	}
	d.givePair(l)
	return true
}

// takeChunk is a chunk for somebody who waits, or nil when there is no memory.
func (d *Device) takeChunk() *chunk {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.chunks) - 1; n >= 0 {
		c := d.chunks[n]
		d.chunks = d.chunks[:n]
		return c
	}
	c := d.newChunk()
	if c == nil {
		d.short.Store(true)
	}
	return c
}

func (d *Device) giveChunk(c *chunk) {
	if c == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chunks = append(d.chunks, c)
}

// takePair waits for a queue pair, or returns nil when the device is down.
func (d *Device) takePair() *C.struct_lane {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.pairs) == 0 && !d.down.Load() {
		d.change.Wait()
	}
	if d.down.Load() {
		return nil
	}
	n := len(d.pairs) - 1
	l := d.pairs[n]
	d.pairs = d.pairs[:n]
	return l
}

func (d *Device) givePair(l *C.struct_lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs = append(d.pairs, l)
	d.change.Signal()
}
