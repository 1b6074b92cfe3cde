//go:build dpdk

package cryptodev

/*
#cgo CFLAGS: -DALLOW_EXPERIMENTAL_API
#cgo pkg-config: libdpdk
#cgo nocallback cryptodev_process
#cgo nocallback cryptodev_run
#cgo nocallback cryptodev_send
#cgo nocallback cryptodev_receive
#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
)

// Errors for errors.Is.
var (
	ErrNoAlgorithm = errors.New("cryptodev: the device serves no algorithm of ours")
	ErrBusy        = errors.New("cryptodev: the device has keys or lanes that are open")
	ErrNoLane      = errors.New("cryptodev: the device has no queue pair left")
	ErrMemory      = errors.New("cryptodev: DPDK has no memory left; give it more with -m, or hugepages")
	ErrDown        = errors.New("cryptodev: the device is closed or answers no more")
)

// priority is below the portable backend: only a pin chooses a device.
const priority = -20

// patience is how long a device may give nothing back while it has packets.
const patience = time.Second

// Config says which device, and how much of it. Only Device is needed.
type Config struct {
	// Device is a device's argument: a virtual one's name and parameters, such as
	// "crypto_aesni_mb0,max_nb_queue_pairs=2", or the PCI address of one that the
	// arguments of eal.Start allow.
	Device string
	// QueuePairs are the lanes, and one more where the device needs one to wait for; 0
	// means up to 8.
	QueuePairs int
	// InFlight is how many bursts a lane holds, at 300 KiB each; 0 means 16.
	InFlight int
}

func (c Config) check() error {
	switch {
	case c.Device == "":
		return &ciphers.FieldError{Field: "Device", Reason: "empty"}
	case c.QueuePairs < 0 || c.QueuePairs > 128:
		return &ciphers.FieldError{Field: "QueuePairs", Reason: "not 1 to 128"}
	case c.InFlight < 0 || c.InFlight > 256:
		return &ciphers.FieldError{Field: "InFlight", Reason: "not 1 to 256"}
	}
	return nil
}

// Device is an open crypto device.
type Device struct {
	c        *C.struct_device
	name     string
	traits   C.struct_traits
	inFlight int
	plugged  string // Open plugged it in under this argument, or empty
	backend  *ciphers.Backend
	spans    []span // where DPDK's own memory is
	placed   atomic.Uint64
	copied   atomic.Uint64
	bytes    atomic.Uint64
	failed   atomic.Uint64
	down     atomic.Bool
	short    atomic.Bool // of memory, once
	keys     atomic.Int64

	mu     sync.Mutex
	change sync.Cond        // a queue pair came back
	pairs  []*C.struct_lane // queue pairs that nobody has
	lent   int              // to lanes
	chunks []*chunk         // idle, for those who wait; a plaintext stays in one until another burst overwrites it
}

// Open opens a device: DPDK is started without arguments if it is not yet, and the
// device plugged in if it is not there. It fails with the errors of package eal, a
// *ciphers.FieldError, ErrOpen, ErrNoAlgorithm, ErrMemory, or DPDK's own.
func Open(c Config) (*Device, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := eal.Start(nil); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(c.Device, ",")
	if err := claim(name); err != nil {
		return nil, err
	}
	d, err := open(name, c)
	if err != nil {
		disclaim(name)
	}
	return d, err
}

func open(name string, c Config) (*Device, error) {
	id, plugged, err := find(name, c.Device)
	if err != nil {
		return nil, err
	}
	d := &Device{name: name, plugged: plugged, inFlight: cmp.Or(c.InFlight, 16)}
	d.change.L = &d.mu
	d.spans = dpdkMemory()
	if err := d.start(id, c.QueuePairs); err != nil {
		d.unplug()
		return nil, err
	}
	return d, nil
}

// find is the device's number. What is not there is plugged in.
func find(name, argument string) (id C.int, plugged string, err error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	if id = C.cryptodev_find(c); id >= 0 {
		return id, "", nil
	}
	if err := eal.Plug(argument); err != nil {
		return 0, "", err
	}
	if id = C.cryptodev_find(c); id < 0 {
		return 0, "", &eal.DeviceError{Device: argument, Cause: errors.New("no crypto device")}
	}
	return id, argument, nil
}

func (d *Device) start(id C.int, pairs int) error {
	if code := C.cryptodev_traits(id, &d.traits); code != 0 {
		return d.error(code)
	}
	aeads := d.aeads(id)
	if len(aeads) == 0 {
		return fmt.Errorf("%w: %s", ErrNoAlgorithm, d.name)
	}
	n := min(C.uint32_t(cmp.Or(pairs, 8)), d.traits.queue_pairs)
	if code := C.cryptodev_open(id, n, descriptors, &d.c); code != 0 {
		return d.error(code)
	}
	for i := range n {
		l := C.cryptodev_lane(d.c, i)
		if l == nil {
			d.release()
			return ErrMemory
		}
		d.pairs = append(d.pairs, l)
	}
	for _, impl := range aeads {
		d.traits.cpu = d.traits.cpu && C.cryptodev_computes(d.c, &impl.(*aead).shape)
	}
	d.backend = &ciphers.Backend{Name: d.name, Priority: priority, Probe: d.probe, AEADs: aeads}
	return nil
}

// descriptors are the operations that a queue pair holds.
const descriptors = 2048

func (d *Device) error(code C.int) error {
	return &eal.DeviceError{Device: d.name, Cause: syscall.Errno(code)}
}

// Name is the device's, and its backend's.
func (d *Device) Name() string { return d.name }

// Backend serves what the device can. It is the same at each call.
func (d *Device) Backend() *ciphers.Backend { return d.backend }

func (d *Device) probe() error {
	if d.down.Load() {
		return ErrDown
	}
	return nil
}

// Close gives the device back to DPDK. Keys and lanes are closed before, that is,
// the engines that use it; else it fails with ErrBusy.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.c == nil {
		return nil
	}
	if d.lent != 0 || d.keys.Load() != 0 {
		return fmt.Errorf("%w: %s, %d keys with %d sessions, %d lanes", ErrBusy, d.name, d.keys.Load(), d.sessions(), d.lent)
	}
	d.down.Store(true)
	d.release()
	d.unplug()
	disclaim(d.name)
	return nil
}

// release stops the device and frees what C has of it.
func (d *Device) release() {
	for _, c := range d.chunks {
		d.free(c)
	}
	for _, l := range d.pairs {
		C.cryptodev_lane_free(l)
	}
	d.chunks, d.pairs = nil, nil
	d.stop()
	C.cryptodev_close(d.c)
	d.c = nil
}

// stop ends the device's work.
func (d *Device) stop() { C.cryptodev_stop(d.c) }

// sessions is how many DPDK keeps for the keys.
func (d *Device) sessions() int { return int(C.cryptodev_sessions(d.c)) }

// unplug takes out what Open plugged in. A device that does not go stays idle.
func (d *Device) unplug() {
	if d.plugged != "" {
		_ = eal.Unplug(d.plugged)
	}
}
