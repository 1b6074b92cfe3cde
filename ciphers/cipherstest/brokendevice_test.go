package cipherstest

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// slowDevice is a device that does what std does, a burst a poll, in the order in
// which the bursts came.
type slowDevice struct {
	ciphers.AEAD
	traits ciphers.DeviceTraits
	lent   int
	short  int // of what its lanes hold
	placed uint64
	broken func(l *slowLane, x *slowBurst) // does a burst in another way
}

func newSlowDevice(alg ciphers.Algorithm) *slowDevice {
	return &slowDevice{AEAD: rightFor(alg), traits: ciphers.DeviceTraits{
		Name: "slow0", Burst: 32, InFlight: 4, Lanes: 3, InPlace: []ciphers.Memory{ciphers.MemoryPinned},
	}}
}

func (d *slowDevice) Device() ciphers.Device       { return d }
func (d *slowDevice) Traits() ciphers.DeviceTraits { return d.traits }
func (d *slowDevice) Stats() ciphers.DeviceStats   { return ciphers.DeviceStats{Placed: d.placed} }

func (d *slowDevice) OpenLane() (ciphers.Lane, error) {
	if d.lent == d.traits.Lanes {
		return nil, errors.New("slow: no lane left")
	}
	d.lent++
	return &slowLane{device: d, inside: make([]slowBurst, 0, d.traits.InFlight-d.short)}, nil
}

type slowBurst struct {
	b     ciphers.Burst
	d     ciphers.Direction
	token uint64
}

type slowLane struct {
	device *slowDevice
	inside []slowBurst
	now    slowBurst
}

func (l *slowLane) Submit(b ciphers.Burst, d ciphers.Direction, token uint64) bool {
	if len(l.inside) == cap(l.inside) {
		return false
	}
	l.inside = append(l.inside, slowBurst{b, d, token})
	return true
}

func (l *slowLane) Poll(done []uint64) int {
	if len(l.inside) == 0 || len(done) == 0 {
		return 0
	}
	l.now = l.inside[0]
	l.inside = append(l.inside[:0], l.inside[1:]...)
	if l.device.broken != nil {
		l.device.broken(l, &l.now)
	} else {
		l.do(&l.now)
	}
	done[0] = l.now.token
	return 1
}

func (l *slowLane) do(x *slowBurst) {
	for _, i := range x.b.Index {
		if x.b.Packets[i].Memory == ciphers.MemoryPinned {
			l.device.placed++
		}
	}
	if x.d == ciphers.Sealing {
		l.device.Seal(x.b)
	} else {
		l.device.Open(x.b)
	}
}

func (l *slowLane) Close() { l.device.lent-- }

func anyMemory(_ testing.TB, n int) []byte { return make([]byte, n) }

func TestGoodDevicePasses(t *testing.T) {
	TestDevice(t, slowAlgorithm, newSlowDevice(slowAlgorithm), anyMemory)
}

var slowAlgorithm = ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256)

// brokenDevices are devices and the part of TestDevice that catches each.
var brokenDevices = []struct {
	name, part string
	spoil      func(d *slowDevice)
}{
	{"device without a name", "Traits", func(d *slowDevice) { d.traits.Name = "" }},
	{"device that leaves bursts undone", "Lane", func(d *slowDevice) {
		d.broken = func(*slowLane, *slowBurst) {}
	}},
	{"device that skips the last packet", "Lane", func(d *slowDevice) {
		d.broken = func(l *slowLane, x *slowBurst) { x.b.Index = x.b.Index[:len(x.b.Index)-1]; l.do(x) }
	}},
	{"device that copies what it says it places", "Lane-pinned", func(d *slowDevice) {
		d.broken = func(l *slowLane, x *slowBurst) { l.do(x); d.placed = 0 }
	}},
	{"device that writes beside a placed packet", "Lane-pinned", func(d *slowDevice) {
		d.broken = func(l *slowLane, x *slowBurst) {
			l.do(x)
			for _, i := range x.b.Index {
				if p := &x.b.Packets[i]; p.Memory == ciphers.MemoryPinned && cap(p.Buf) > 0 {
					p.Buf[0] ^= 1
				}
			}
		}
	}},
	{"lane that holds less than it says", "LaneIsBounded", func(d *slowDevice) { d.short = 1 }},
	{"lane that opens forgeries", "LaneGivesBackEveryToken", func(d *slowDevice) {
		d.broken = func(l *slowLane, x *slowBurst) {
			l.do(x)
			for _, i := range x.b.Index {
				x.b.Packets[i].Status = ciphers.StatusOK
			}
		}
	}},
	{"lanes without bound", "LanesAreBounded", func(d *slowDevice) { d.lent = -100 }},
}
