//go:build !linux

package rawip

import (
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
)

// Port is a raw socket.
type Port struct{ port.Port }

// Open fails with ErrUnsupported.
func Open(netip.Addr, int) (*Port, error) { return nil, ErrUnsupported }
