//go:build !linux

package afpacket

import "github.com/sealburst/sealburst/examples/gateway/internal/port"

// Port is an Ethernet interface.
type Port struct{ port.Port }

// Open fails with ErrUnsupported.
func Open(string) (*Port, error) { return nil, ErrUnsupported }
