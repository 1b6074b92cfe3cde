//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import (
	"slices"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// lane is a queue pair with chunks of its own. Bursts are handed over in order;
// one that does not fit into the idle chunks goes part by part.
type lane struct {
	device *Device
	c      *C.struct_lane
	chunks []*chunk
	idle   []*chunk
	bursts []laneBurst
	unused []int     // places in bursts
	queue  []int     // bursts that are not handed over whole, the oldest first
	over   []uint64  // tokens to give back
	since  time.Time // of the last sign of the device, when it was missed; else zero
}

// laneBurst is a burst that the lane holds.
type laneBurst struct {
	ciphers.Burst
	impl  *aead
	way   ciphers.Direction
	token uint64
	next  int // of its Index, what is not handed over yet
	out   int // chunks of it that the device has
}

// OpenLane fulfils ciphers.Device. It fails with ErrNoLane, ErrMemory or ErrDown.
func (d *Device) OpenLane() (ciphers.Lane, error) {
	c, err := d.reserveLane()
	if err != nil {
		return nil, err
	}
	n := d.inFlight
	l := &lane{
		device: d, c: c, bursts: make([]laneBurst, n),
		idle: make([]*chunk, 0, n), unused: make([]int, 0, n), queue: make([]int, 0, n), over: make([]uint64, 0, n),
	}
	for i := range n {
		l.unused = append(l.unused, n-1-i)
		chunk := d.newChunk()
		if chunk == nil {
			l.Close()
			return nil, ErrMemory
		}
		chunk.at, chunk.c.id = i, C.uint32_t(i)
		l.chunks = append(l.chunks, chunk)
		l.idle = append(l.idle, chunk)
	}
	return l, nil
}

// reserveLane takes a queue pair, and leaves one to those who wait.
func (d *Device) reserveLane() (*C.struct_lane, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	least := 1
	if d.traits.cpu {
		least = 0
	}
	switch n := len(d.pairs); {
	case d.down.Load():
		return nil, ErrDown
	case n <= least:
		return nil, ErrNoLane
	default:
		c := d.pairs[n-1]
		d.pairs = d.pairs[:n-1]
		d.lent++
		return c, nil
	}
}

// Close fulfils ciphers.Lane. After a device that is down, its memory stays: the
// device may still write there.
func (l *lane) Close() {
	if !l.device.down.Load() {
		for _, c := range l.chunks {
			l.device.free(c)
		}
	}
	l.chunks, l.idle = nil, nil
	l.device.mu.Lock()
	l.device.lent--
	l.device.mu.Unlock()
	l.device.givePair(l.c)
}

// Submit fulfils ciphers.Lane.
func (l *lane) Submit(b ciphers.Burst, way ciphers.Direction, token uint64) bool {
	n := len(l.unused) - 1
	if n < 0 {
		return false
	}
	at := l.unused[n]
	l.unused = l.unused[:n]
	l.bursts[at] = laneBurst{Burst: b, impl: keyOf(b).impl, way: way, token: token}
	l.queue = append(l.queue, at)
	l.handOver()
	return true
}

// handOver hands the device what there are chunks for.
func (l *lane) handOver() {
	for len(l.queue) > 0 {
		at := l.queue[0]
		b := &l.bursts[at]
		if l.device.down.Load() {
			l.device.fail(b.Burst, b.Index[b.next:])
			b.next = len(b.Index)
		} else if !l.send(b, at) {
			return
		}
		if b.next == len(b.Index) {
			l.queue = append(l.queue[:0], l.queue[1:]...)
			l.settle(at)
		}
	}
}

// send hands over as much of a burst as a chunk takes, and reports whether there
// was an idle one.
func (l *lane) send(b *laneBurst, at int) bool {
	n := len(l.idle) - 1
	if n < 0 {
		return false
	}
	c := l.idle[n]
	b.next += c.fill(b.impl, b.Burst, b.Index[b.next:], b.way)
	if c.c.count == 0 {
		return true // all of them were refused
	}
	l.idle = l.idle[:n]
	c.burst = at
	b.out++
	C.cryptodev_send(l.c, c.c)
	return true
}

// settle ends a burst of which nothing is left.
func (l *lane) settle(at int) {
	b := &l.bursts[at]
	if b.out != 0 || b.next != len(b.Index) {
		return
	}
	l.over = append(l.over, b.token)
	*b = laneBurst{}
	l.unused = append(l.unused, at)
}

// Poll fulfils ciphers.Lane.
func (l *lane) Poll(done []uint64) int {
	if len(l.idle) != len(l.chunks) {
		l.receive()
	}
	l.handOver()
	n := copy(done, l.over)
	l.over = append(l.over[:0], l.over[n:]...)
	return n
}

// receive takes in what the device has done.
func (l *lane) receive() {
	n := int(C.cryptodev_receive(l.c))
	for _, done := range l.c.done[:n] {
		c := l.chunks[done.id]
		b := &l.bursts[c.burst]
		c.deliver(l.device, b.Burst)
		l.idle = append(l.idle, c)
		b.out--
		l.settle(c.burst)
	}
	switch {
	case n != 0 || bool(l.c.moved):
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = time.Now()
	case time.Since(l.since) > patience:
		l.giveUp()
	}
}

// giveUp ends every burst whose packets the device keeps.
func (l *lane) giveUp() {
	l.device.down.Store(true)
	l.device.change.Broadcast()
	for _, c := range l.chunks {
		if slices.Contains(l.idle, c) {
			continue
		}
		b := &l.bursts[c.burst]
		c.abandon(b.Burst)
		l.device.count(0, 0, 0, uint64(c.c.count))
		b.out--
		l.settle(c.burst)
	}
	l.chunks, l.idle = nil, nil
}
