package espvpn

import (
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Link is where ESP packets enter and leave. It moves bursts as a port does; one whose
// datagrams are those of a UDP socket says from whom they came, and takes where they go.
type Link interface {
	Receive(burst []record.Datagram, from []netip.AddrPort) (int, error)
	Send(burst []record.Datagram, to []netip.AddrPort) (int, error)
	Close() error
}

// OnPort is a link whose datagrams are IP packets.
func OnPort(p port.Port) Link { return &ipLink{p} }

type ipLink struct{ port port.Port }

func (l *ipLink) Receive(burst []record.Datagram, _ []netip.AddrPort) (int, error) {
	return l.port.Receive(burst)
}

func (l *ipLink) Send(burst []record.Datagram, _ []netip.AddrPort) (int, error) {
	return l.port.Send(burst)
}

func (l *ipLink) Close() error { return l.port.Close() }
