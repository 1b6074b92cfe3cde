package dtlsadapter

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

// PacketConn is a UDP socket with any number of peers that moves datagrams in batches,
// as BatchConn does with one peer. It knows nothing of DTLS.
type PacketConn struct {
	*net.UDPConn
	socket *socket
}

// BatchPackets makes a PacketConn of a socket that is not connected. It fails with an
// ErrConfig for one that is, and for none.
func BatchPackets(c *net.UDPConn) (*PacketConn, error) {
	switch {
	case c == nil:
		return nil, &FieldError{"c", "missing"}
	case c.RemoteAddr() != nil:
		return nil, &FieldError{"c", "a UDP socket that is connected"}
	}
	s, err := newSocket(c, false)
	if err != nil {
		return nil, err
	}
	return &PacketConn{c, s}, nil
}

// ReadBatchFrom waits for at least one datagram and describes as many as are there in
// burst, their senders in from, which is as long. Their memory is the socket's: it is the
// caller's to read and write until the next ReadBatchFrom. Only one goroutine calls it. It
// fails with a FieldError, and takes nothing, when burst is empty or from is not as long.
func (c *PacketConn) ReadBatchFrom(burst []record.Datagram, from []netip.AddrPort) (n int, err error) {
	switch {
	case len(burst) == 0:
		return 0, &FieldError{"burst", "empty"}
	case len(from) != len(burst):
		return 0, &FieldError{"from", fmt.Sprintf("%d for %d datagrams", len(from), len(burst))}
	}
	return c.socket.read(burst, from)
}

// WriteBatchTo sends datagrams[i] to to[i], in order, and returns how many it sent before
// an error, such as that of an address which the socket is not for: IPv6 in an IPv4 socket,
// or none. It fails with a FieldError, and sends nothing, when to is not as long as
// datagrams. It is safe for concurrent use.
func (c *PacketConn) WriteBatchTo(datagrams [][]byte, to []netip.AddrPort) (n int, err error) {
	if len(to) != len(datagrams) {
		return 0, &FieldError{"to", fmt.Sprintf("%d for %d datagrams", len(to), len(datagrams))}
	}
	return c.socket.write(datagrams, destinations{each: to})
}
