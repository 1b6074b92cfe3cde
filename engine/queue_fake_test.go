package engine

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// fakeDevice does what std does, later and out of order.
type fakeDevice struct {
	lanes    int
	inFlight int
	broken   bool // gives bursts back undone

	mu    sync.Mutex
	held  bool // gives nothing back
	open  int
	taken int // bursts that lanes took
	stats ciphers.DeviceStats
}

var errNoLane = errors.New("fake: no lane left")

func (d *fakeDevice) Traits() ciphers.DeviceTraits {
	return ciphers.DeviceTraits{Name: "fake0", Burst: 32, InFlight: d.inFlight, Lanes: d.lanes, InPlace: []ciphers.Memory{ciphers.MemoryPinned}}
}

func (d *fakeDevice) Stats() ciphers.DeviceStats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

func (d *fakeDevice) OpenLane() (ciphers.Lane, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == d.lanes {
		return nil, errNoLane
	}
	d.open++
	return &fakeLane{device: d, inside: make([]fakeBurst, 0, d.inFlight)}, nil
}

func (d *fakeDevice) hold(held bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = held
}

func (d *fakeDevice) bursts() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken
}

type fakeBurst struct {
	b     ciphers.Burst
	d     ciphers.Direction
	token uint64
}

type fakeLane struct {
	device *fakeDevice
	inside []fakeBurst
	closed bool
}

func (l *fakeLane) Submit(b ciphers.Burst, d ciphers.Direction, token uint64) bool {
	if l.closed {
		panic("submitted to a closed lane")
	}
	if len(l.inside) == l.device.inFlight {
		return false
	}
	l.inside = append(l.inside, fakeBurst{b, d, token})
	l.device.mu.Lock()
	defer l.device.mu.Unlock()
	l.device.taken++
	return true
}

// Poll gives back any of the bursts.
func (l *fakeLane) Poll(done []uint64) (n int) {
	l.device.mu.Lock()
	defer l.device.mu.Unlock()
	for n < len(done) && len(l.inside) > 0 && !l.device.held && rand.IntN(4) > 0 {
		i := rand.IntN(len(l.inside))
		l.do(&l.inside[i])
		done[n] = l.inside[i].token
		l.inside = slices.Delete(l.inside, i, i+1)
		n++
	}
	return n
}

func (l *fakeLane) do(x *fakeBurst) {
	aead := x.b.Packets[x.b.Index[0]].Key.Plan().Bulk.(*fakeAEAD).AEAD
	switch {
	case l.device.broken:
		for _, i := range x.b.Index {
			x.b.Packets[i].Status = ciphers.StatusBackend
		}
		l.device.stats.Failed += uint64(len(x.b.Index))
		l.device.stats.Fault = "unplugged"
	case x.d == ciphers.Sealing:
		aead.Seal(x.b)
	default:
		aead.Open(x.b)
	}
}

func (l *fakeLane) Close() {
	if len(l.inside) != 0 {
		panic("closed with bursts inside")
	}
	l.closed = true
	l.device.mu.Lock()
	defer l.device.mu.Unlock()
	l.device.open--
}

// fakeAEAD serves through a fakeDevice.
type fakeAEAD struct {
	ciphers.AEAD
	device *fakeDevice
}

func (a *fakeAEAD) Device() ciphers.Device { return a.device }

// offloaded is an engine whose AES-128-GCM and AES-256-GCM are a device's, and the
// rest std's.
func offloaded(t testing.TB, d *fakeDevice) *Engine {
	t.Helper()
	b := &ciphers.Backend{Name: "fake0", Priority: 5, AEADs: map[Algorithm]ciphers.AEAD{}}
	for _, alg := range []Algorithm{ciphers.AES128GCM, ciphers.AES256GCM} {
		b.AEADs[alg] = &fakeAEAD{std(t).AEADs[alg], d}
	}
	return only(t, b, std(t))
}

func mustQueue(t testing.TB, e *Engine, c QueueConfig) *Queue {
	t.Helper()
	q, err := e.NewQueue(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// pollAll polls until n bursts came back.
func pollAll(t testing.TB, q *Queue, n int) (all []Work) {
	t.Helper()
	var done [3]Work
	for end := time.Now().Add(time.Minute); len(all) < n; runtime.Gosched() {
		all = append(all, done[:q.Poll(done[:])]...)
		if time.Now().After(end) {
			t.Fatalf("%d of %d bursts came back", len(all), n)
		}
	}
	return all
}
