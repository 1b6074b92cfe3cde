//go:build dpdk

package dpdk

/*
#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
)

// Device is an Ethernet device.
type Device struct {
	Traits
	config Config
	port   C.uint16_t
	queues []*Queue
	locks  []unsafe.Pointer
}

const defaultDepth = 1024

// fill puts in what the caller left open.
func (c *Config) fill() {
	c.Queues = max(c.Queues, 1)
	if c.MTU == 0 {
		c.MTU = defaultMTU
	}
	if c.Depth == 0 {
		c.Depth = defaultDepth
	}
}

// Open makes a device ready to receive and send. DPDK is started. A virtual device that
// is not there yet is made.
//
// With more threads than the device has receiving queues, or when it does not spread
// flows over them, all frames come to the first queue.
func Open(c Config) (*Device, error) {
	c.fill()
	d := &Device{config: c}
	if err := d.find(); err != nil {
		return nil, err
	}
	if err := d.open(); err != nil {
		return nil, errors.Join(err, d.unplug())
	}
	return d, nil
}

// find plugs the device in and looks what it is.
func (d *Device) find() error {
	var err error
	if IsPhysical(d.config.Name) {
		err = d.look() // DPDK has it since its start, or not at all
	} else {
		err = d.plug()
	}
	if err != nil {
		return err
	}
	d.Traits, err = traitsOf(d.port)
	return err
}

// plug has DPDK make a virtual device.
func (d *Device) plug() error {
	if err := eal.Plug(d.config.Name); err != nil {
		return fmt.Errorf("dpdk: cannot make device %s%s: %w", d.config.Name, privileges(), err)
	}
	if err := d.look(); err != nil {
		return errors.Join(err, d.unplug())
	}
	return nil
}

// look finds the device's port.
func (d *Device) look() error {
	name := C.CString(portName(d.config.Name))
	defer C.free(unsafe.Pointer(name))
	if code := C.sb_find(name, &d.port); code != 0 {
		return fmt.Errorf("%w: %s%s", ErrNoDevice, d.config.Name, unbound(d.config.Name))
	}
	return nil
}

// unbound is a hint, for a card.
func unbound(device string) string {
	if !IsPhysical(device) {
		return ""
	}
	return " (gateway doctor tells how DPDK gets a card)"
}

// privileges is a hint: drivers say no more than that an argument is invalid.
func privileges() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return ", which may need privileges (gateway doctor tells those held)"
}

func traitsOf(port C.uint16_t) (Traits, error) {
	var t C.struct_sb_traits
	if code := C.sb_traits(port, &t); code != 0 {
		return Traits{}, fmt.Errorf("dpdk: port %d: %w", port, syscall.Errno(code))
	}
	return Traits{
		Driver: C.GoString(&t.driver[0]), MAC: ethernet.MAC(C.GoBytes(unsafe.Pointer(&t.mac[0]), 6)),
		Receiving: int(t.max_rx), Sending: int(t.max_tx), MinMTU: int(t.min_mtu), MaxMTU: int(t.max_mtu),
		SpreadsFlows: bool(t.rss), ChecksUDP: bool(t.check_udp), Verifies: bool(t.check_rx),
	}, nil
}

func (d *Device) open() error {
	if mtu := d.config.MTU; d.MaxMTU != 0 && mtu > d.MaxMTU || mtu < d.MinMTU {
		return fmt.Errorf("dpdk: %s takes an MTU from %d to %d, not %d", d.config.Name, d.MinMTU, d.MaxMTU, mtu)
	}
	if d.Driver == afXDP && d.config.Pool.aligned {
		return fmt.Errorf("dpdk: %s: its pool was made without its name", d.config.Name)
	}
	receiving, err := d.receivers()
	if err != nil {
		return err
	}
	sending := min(d.config.Queues, d.Sending)
	s := C.struct_sb_setup{
		rx: C.uint16_t(receiving), tx: C.uint16_t(sending), depth: C.uint16_t(d.config.Depth),
		mtu: C.uint16_t(d.config.MTU), promiscuous: C.bool(d.config.Promiscuous), pool: d.config.Pool.native,
	}
	if code := C.sb_open(d.port, &s); code != 0 {
		return fmt.Errorf("dpdk: cannot start device %s: %w", d.config.Name, syscall.Errno(code))
	}
	d.makeQueues(receiving, sending)
	return nil
}

// receivers is how many queues receive: one for each thread, or one for all.
func (d *Device) receivers() (int, error) {
	threads := d.config.Queues
	if d.config.OneReceiver {
		threads = 1
	}
	switch {
	case d.Driver == afPacket && d.Receiving > 1 && d.Receiving != threads:
		return 0, fmt.Errorf("dpdk: %s: qpairs=%d for %d threads loses what comes to the other queues: leave it away, or give as many as threads",
			d.config.Name, d.Receiving, threads)
	case d.Driver == afPacket, d.SpreadsFlows && d.Receiving >= threads:
		return min(threads, d.Receiving), nil
	}
	return 1, nil
}

// afPacket is a driver without RSS. The system shares flows out among its queues, whether
// anybody reads them or not.
const afPacket = "net_af_packet"

// makeQueues gives each thread its queues. Sending queues that threads share have a lock.
func (d *Device) makeQueues(receiving, sending int) {
	for range sending {
		lock := unsafe.Pointer(nil)
		if sending < d.config.Queues {
			lock = C.calloc(1, 64)
		}
		d.locks = append(d.locks, lock)
	}
	for i := range d.config.Queues {
		d.queues = append(d.queues, newQueue(d, i, i < receiving, i%sending, d.locks[i%sending]))
	}
}

// Queue is the queue of thread i.
func (d *Device) Queue(i int) ethernet.Queue { return d.queues[i] }

// Name is what the device was opened by.
func (d *Device) Name() string { return d.config.Name }

// ReceivingQueues is how many of the queues receive.
func (d *Device) ReceivingQueues() (n int) {
	for _, q := range d.queues {
		if q.receiving {
			n++
		}
	}
	return n
}

// Up reports whether the device has its link.
func (d *Device) Up() bool { return bool(C.sb_link(d.port)) }

// Losses are the device's own counters.
func (d *Device) Losses() (Losses, error) {
	var l C.struct_sb_losses
	if code := C.sb_losses(d.port, &l); code != 0 {
		return Losses{}, fmt.Errorf("dpdk: counters of %s: %w", d.config.Name, syscall.Errno(code))
	}
	return Losses{uint64(l.missed), uint64(l.no_buffer), uint64(l.receive_errors), uint64(l.send_errors)}, nil
}

// Close stops the device and takes it out. No thread uses its queues any more; the
// buffers that it holds go back to the pool.
func (d *Device) Close() error {
	C.sb_close(d.port)
	for _, q := range d.queues {
		C.free(unsafe.Pointer(q.native))
	}
	for _, lock := range d.locks {
		C.free(lock)
	}
	d.queues, d.locks = nil, nil
	return d.unplug()
}

func (d *Device) unplug() error {
	if IsPhysical(d.config.Name) {
		return nil // it stays with DPDK until the process ends
	}
	return eal.Unplug(d.config.Name)
}
