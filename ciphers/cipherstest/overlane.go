package cipherstest

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// overLane is a device's AEAD whose bursts go over a lane.
type overLane struct {
	ciphers.Asynchronous
	relocate *relocation

	mu    sync.Mutex
	lane  ciphers.Lane
	token uint64
	done  [4]uint64
}

func newOverLane(t *testing.T, impl ciphers.Asynchronous) *overLane {
	t.Helper()
	return &overLane{Asynchronous: impl, lane: openLane(t, impl.Device())}
}

func openLane(t testing.TB, d ciphers.Device) ciphers.Lane {
	t.Helper()
	lane, err := d.OpenLane()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lane.Close)
	return lane
}

// limitedLane is an overLane whose device has limits.
type limitedLane struct {
	*overLane
	limits ciphers.Limits
}

func (l limitedLane) Limits() ciphers.Limits { return l.limits }

func (o *overLane) limited() ciphers.AEAD {
	if l, ok := o.Asynchronous.(ciphers.Limited); ok {
		return limitedLane{o, l.Limits()}
	}
	return o
}

func (o *overLane) Seal(b ciphers.Burst) int { return o.run(b, ciphers.Sealing) }
func (o *overLane) Open(b ciphers.Burst) int { return o.run(b, ciphers.Opening) }

func (o *overLane) run(b ciphers.Burst, d ciphers.Direction) int {
	if len(b.Index) == 0 {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.relocate == nil {
		o.wait(b, d)
	} else {
		o.wait(o.relocate.move(b), d)
		o.relocate.back(b)
	}
	return countOK(b)
}

// wait runs a burst over the lane.
func (o *overLane) wait(b ciphers.Burst, d ciphers.Direction) {
	o.token += 3
	for !o.lane.Submit(b, d, o.token) {
		panic("an empty lane is full")
	}
	for o.lane.Poll(o.done[:]) == 0 {
		runtime.Gosched()
	}
	if o.done[0] != o.token {
		panic("the lane gave back another token")
	}
}

func countOK(b ciphers.Burst) (ok int) {
	for _, i := range b.Index {
		if b.Packets[i].Status == ciphers.StatusOK {
			ok++
		}
	}
	return ok
}

// arenaSize has room for any burst of the kit's, but for those of many longest packets.
const arenaSize = 8 << 20

// relocation moves bursts into another kind of memory and back.
type relocation struct {
	kind    ciphers.Memory
	arena   []byte
	used    int
	packets [ciphers.MaxBurst]ciphers.Packet
}

// move gives a burst of the same packets in the arena. A packet for which there is no
// room stays where it is.
func (r *relocation) move(b ciphers.Burst) ciphers.Burst {
	r.used = 0
	moved := r.packets[:len(b.Packets)]
	copy(moved, b.Packets)
	for _, i := range b.Index {
		r.place(&moved[i])
	}
	return ciphers.Burst{Packets: moved, Index: b.Index, Slot: b.Slot}
}

// back takes home what became of the packets.
func (r *relocation) back(b ciphers.Burst) {
	for _, i := range b.Index {
		from, to := &r.packets[i], &b.Packets[i]
		to.Status = from.Status
		copy(to.Buf, from.Buf)
		copy(to.Plain, from.Plain)
	}
}

func (r *relocation) place(p *ciphers.Packet) {
	if r.used+len(p.Buf)+len(p.Plain) > len(r.arena) {
		return
	}
	buf := r.take(p.Buf)
	switch {
	case p.Plain == nil:
	case len(p.Plain) > 0 && int(p.Off) < len(p.Buf) && unsafe.SliceData(p.Plain) == &p.Buf[p.Off]:
		p.Plain = buf[p.Off:][:len(p.Plain)]
	default:
		p.Plain = r.take(p.Plain)
	}
	p.Buf, p.Memory = buf, r.kind
}

func (r *relocation) take(b []byte) []byte {
	at := r.arena[r.used:][:len(b):len(b)]
	r.used += len(b)
	copy(at, b)
	return at
}
