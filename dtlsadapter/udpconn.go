package dtlsadapter

import (
	"net"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

// udpConn is a connected UDP socket as a BatchConn.
type udpConn struct {
	*net.UDPConn
	socket *socket
}

func newUDPConn(c *net.UDPConn) (*udpConn, error) {
	if c.RemoteAddr() == nil {
		return nil, &FieldError{"conn", "a UDP socket that is not connected"}
	}
	s, err := newSocket(c, true)
	if err != nil {
		return nil, err
	}
	return &udpConn{c, s}, nil
}

func (c *udpConn) ReadBatch(burst []record.Datagram) (int, error) {
	if len(burst) == 0 {
		return 0, &FieldError{"burst", "empty"}
	}
	return c.socket.read(burst, nil)
}

func (c *udpConn) WriteBatch(datagrams [][]byte) (int, error) {
	return c.socket.write(datagrams, destinations{})
}

// destinations are where the datagrams of a burst go: each its own way, all to one
// address, or, for a connected socket, nowhere but to its peer.
type destinations struct {
	each []netip.AddrPort
	all  netip.AddrPort
}

func (d *destinations) at(i int) netip.AddrPort {
	if d.each != nil {
		return d.each[i]
	}
	return d.all
}

// from is the destinations from the i-th on.
func (d destinations) from(i int) destinations {
	if d.each != nil {
		d.each = d.each[i:]
	}
	return d
}
