package udp

import (
	"errors"
	"net"
	"syscall"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Port is a socket with one peer.
type Port struct {
	conn    dtlsadapter.BatchConn
	lent    []record.Datagram // the socket's own memory
	packets [][]byte
}

// New makes a port of a socket that Dial opened.
func New(conn *net.UDPConn) (*Port, error) {
	batched, err := dtlsadapter.Batch(conn)
	if err != nil {
		return nil, err
	}
	return &Port{
		conn: batched, lent: make([]record.Datagram, port.MaxBurst), packets: make([][]byte, 0, port.MaxBurst),
	}, nil
}

// Receive waits for datagrams. What ICMP says of earlier ones is passed over: the
// peer may yet come up.
func (p *Port) Receive(burst []record.Datagram) (int, error) {
	for {
		n, err := p.conn.ReadBatch(p.lent[:min(len(burst), len(p.lent))])
		for i := range n {
			port.Put(&burst[i], p.lent[i].Content())
		}
		if n > 0 || !passing(err) {
			return n, err
		}
	}
}

// Send sends datagrams. One that the system refuses is lost, as it may be on the wire.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	p.packets = p.packets[:0]
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			p.packets = append(p.packets, burst[i].Content())
		}
	}
	for rest := p.packets; len(rest) > 0; {
		n, err := p.conn.WriteBatch(rest)
		sent, rest = sent+n, rest[n:]
		if err != nil && !passing(err) {
			return sent, err
		}
		if err != nil && len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return sent, nil
}

// Close closes the socket.
func (p *Port) Close() error { return p.conn.Close() }

// passing reports whether an error says something of one datagram, not of the socket.
func passing(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}
