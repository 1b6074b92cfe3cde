//go:build !linux

package tun

import "github.com/sealburst/sealburst/examples/gateway/internal/port"

// Port is a TUN device.
type Port struct{ port.Port }

// Open fails with ErrUnsupported.
func Open(Config) (*Port, error) { return nil, ErrUnsupported }

// Name is the device's name.
func (p *Port) Name() string { return "" }
