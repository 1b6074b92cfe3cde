package model

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// What a gateway takes at once, and how many packets of one connection come in a
// train, as a window of TCP does.
const (
	burst = 32
	train = 128
)

// wire is the road of a burst: from a plain port into a buffer, sealed there, over
// the memory port into another buffer, opened there.
type wire struct {
	plain    []byte
	out, in  [burst]record.Datagram
	outbound *dtlsadapter.Outbound
	inbound  *dtlsadapter.Inbound
}

func newWire(bytes int) *wire {
	w := &wire{plain: make([]byte, bytes)}
	for i := range burst {
		w.out[i].Buf = make([]byte, dtlsadapter.Headroom+bytes+dtlsadapter.Tailroom)
		w.in[i].Buf = make([]byte, len(w.out[i].Buf))
	}
	return w
}

// load takes n packets in from the plain port.
func (w *wire) load(n int) {
	for i := range n {
		d := &w.out[i]
		d.Off, d.Len, d.Drop = dtlsadapter.Headroom, len(w.plain), 0
		copy(d.Buf[d.Off:], w.plain)
	}
}

// carry copies n records to the other side.
func (w *wire) carry(n int) {
	for i := range n {
		d := &w.in[i]
		d.Off, d.Len, d.Drop = 0, copy(d.Buf, w.out[i].Content()), 0
	}
}

// cross sends n packets all the way.
func (w *wire) cross(n int) error {
	w.load(n)
	if ok := w.outbound.Protect(w.out[:n]); ok != n {
		return fmt.Errorf("model: %d of %d packets were sealed", ok, n)
	}
	w.carry(n)
	if ok := w.inbound.Unprotect(w.in[:n]); ok != n {
		return fmt.Errorf("model: %d of %d packets were opened", ok, n)
	}
	return nil
}

// Runner runs loads of one kind of handshake.
type Runner struct {
	kind  *Kind
	meter *meter
}

// NewRunner makes one.
func NewRunner(k *Kind) (*Runner, error) {
	m, err := newMeter()
	return &Runner{k, m}, err
}

// What a slice of work has, some milliseconds of it.
const (
	handshakesSlice = 4
	trainsSlice     = 200
)

// Alone runs f on one processor, as a gateway's core runs to completion, and with
// the collector off, whose turn would come by chance: Run collects itself. Memory
// that it has freed stays with the process.
func (r *Runner) Alone(f func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return f()
}

// run does a load from nothing to nothing, as a gateway does: an engine with its
// self-tests, the handshakes, a collection that goes through all there is then,
// the packets in trains of the connections in turn, the end.
func (r *Runner) run(l Load) (reading, error) {
	runtime.GC()
	runtime.GC() // empties the pools too
	idle := runtime.NumGoroutine()
	w := newWire(l.Bytes)
	var e *engine.Engine
	err := r.meter.slice(func() (err error) {
		e, err = engine.New(engine.Config{})
		return err
	})
	if err != nil {
		return reading{}, err
	}
	defer e.Close()
	var all []*connection
	defer func() {
		for _, c := range all {
			c.close()
		}
	}()
	if all, err = r.connectAll(e, l.Connections); err != nil {
		return reading{}, err
	}
	if err := r.meter.slice(func() error { runtime.GC(); return nil }); err != nil {
		return reading{}, err
	}
	if err := r.send(w, all, l.Packets); err != nil {
		return reading{}, err
	}
	err = r.meter.slice(func() error {
		for _, c := range all {
			c.close()
		}
		all = nil
		return outlast(runtime.NumGoroutine, idle)
	})
	return r.meter.read(), err
}

// errGoroutines says that a load would leave work to the next one.
var errGoroutines = errors.New("model: goroutines of a connection outlast it")

// outlast lets the goroutines of closed connections end, until count says that
// there are no more than so many: what they still do is a part of this load.
func outlast(count func() int, idle int) error {
	for begun := time.Now(); count() > idle; {
		if time.Since(begun) > patience {
			return errGoroutines
		}
		runtime.Gosched()
	}
	return nil
}

const patience = 30 * time.Second

func (r *Runner) connectAll(e *engine.Engine, n int) (all []*connection, err error) {
	for len(all) < n && err == nil {
		err = r.meter.slice(func() error {
			for range min(handshakesSlice, n-len(all)) {
				c, err := r.kind.connect(e)
				if err != nil {
					return err
				}
				all = append(all, c)
			}
			return nil
		})
	}
	return all, err
}

// send gives every connection its packets, a train of one after a train of the other.
func (r *Runner) send(w *wire, all []*connection, packets int) error {
	sent, turn := 0, 0
	for sent < packets {
		err := r.meter.slice(func() error {
			for range trainsSlice {
				n := min(train, packets-sent)
				if err := all[turn].carry(w, n); err != nil {
					return err
				}
				if turn++; turn == len(all) {
					turn, sent = 0, sent+n
				}
				if sent == packets {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// carry sends n packets from the client to the server, in bursts.
func (c *connection) carry(w *wire, n int) error {
	w.outbound, _ = c.client.Halves()
	_, w.inbound = c.server.Halves()
	for ; n > 0; n -= burst {
		if err := w.cross(min(burst, n)); err != nil {
			return err
		}
	}
	return nil
}
