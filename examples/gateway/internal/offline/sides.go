package offline

import (
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
)

// side is the end of the tunnel that a packet enters at.
type side int

const (
	clientSide side = iota
	serverSide
)

func (s side) other() side { return 1 - s }

// sides remembers behind which gateway each host lives. Whoever speaks first of
// two that are new lives behind the client, as a host that opens a connection does.
type sides map[netip.Addr]side

// of says where a packet enters the tunnel, and learns from it.
func (s sides) of(packet []byte) side {
	source, destination, ok := ippacket.Addresses(packet)
	if !ok {
		return clientSide
	}
	if known, ok := s[source]; ok {
		s.note(destination, known.other())
		return known
	}
	enters := clientSide
	if known, ok := s[destination]; ok {
		enters = known.other()
	}
	s.note(source, enters)
	s.note(destination, enters.other())
	return enters
}

// note keeps what is known already.
func (s sides) note(host netip.Addr, at side) {
	if _, ok := s[host]; !ok {
		s[host] = at
	}
}
