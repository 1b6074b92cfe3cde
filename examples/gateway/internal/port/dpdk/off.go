//go:build !dpdk

package dpdk

import "github.com/sealburst/sealburst/examples/gateway/internal/ethernet"

// Pool is memory for frames.
type Pool struct{}

// NewPool fails with ErrUnavailable.
func NewPool(int, int, ...string) (*Pool, error) { return nil, ErrUnavailable }

// Used is 0.
func (p *Pool) Used() int { return 0 }

// Close does nothing.
func (p *Pool) Close() {}

// Device is an Ethernet device. There are none.
type Device struct{ Traits }

// Open fails with ErrUnavailable.
func Open(Config) (*Device, error) { return nil, ErrUnavailable }

// Queue is nil.
func (d *Device) Queue(int) ethernet.Queue { return nil }

// Name is empty.
func (d *Device) Name() string { return "" }

// ReceivingQueues is 0.
func (d *Device) ReceivingQueues() int { return 0 }

// Up reports false.
func (d *Device) Up() bool { return false }

// Losses are none.
func (d *Device) Losses() (Losses, error) { return Losses{}, ErrUnavailable }

// Close does nothing.
func (d *Device) Close() error { return nil }

// Thread fails with ErrUnavailable.
func Thread(int) (end func(), err error) { return nil, ErrUnavailable }
