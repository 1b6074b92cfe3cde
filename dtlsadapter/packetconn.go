package dtlsadapter

import (
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
// ErrConfig for one that is.
func BatchPackets(c *net.UDPConn) (*PacketConn, error) {
	if c.RemoteAddr() != nil {
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
// caller's to read and write until the next ReadBatchFrom. Only one goroutine calls it.
func (c *PacketConn) ReadBatchFrom(burst []record.Datagram, from []netip.AddrPort) (n int, err error) {
	return c.socket.read(burst, from)
}

// WriteBatchTo sends datagrams[i] to to[i], in order, and returns how many it sent before
// an error, such as that of an address which the socket is not for: IPv6 in an IPv4 socket,
// or none. It is safe for concurrent use.
func (c *PacketConn) WriteBatchTo(datagrams [][]byte, to []netip.AddrPort) (n int, err error) {
	return c.socket.write(datagrams, destinations{each: to})
}
