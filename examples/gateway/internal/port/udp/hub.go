package udp

import (
	"net"
	"net/netip"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Hub is a socket with any number of peers. It moves bursts as a port does, and each
// datagram's peer beside it.
type Hub struct {
	conn    *dtlsadapter.PacketConn
	lent    []record.Datagram // the socket's own memory
	packets [][]byte
	peers   []netip.AddrPort
}

// NewHub makes a hub of a socket that Listen opened.
func NewHub(conn *net.UDPConn) (*Hub, error) {
	batched, err := dtlsadapter.BatchPackets(conn)
	if err != nil {
		return nil, err
	}
	return &Hub{
		conn: batched, lent: make([]record.Datagram, port.MaxBurst),
		packets: make([][]byte, 0, port.MaxBurst), peers: make([]netip.AddrPort, 0, port.MaxBurst),
	}, nil
}

// Receive waits for datagrams, and says who sent each; from is as long as the burst.
// What ICMP says of earlier ones is passed over.
func (h *Hub) Receive(burst []record.Datagram, from []netip.AddrPort) (int, error) {
	for {
		room := min(len(burst), len(h.lent))
		n, err := h.conn.ReadBatchFrom(h.lent[:room], from[:room])
		for i := range n {
			port.Put(&burst[i], h.lent[i].Content())
		}
		if n > 0 || !passing(err) {
			return n, err
		}
	}
}

// Send sends each datagram whose Drop is DropNone to its peer. One that the system
// refuses is lost, as it may be on the wire.
func (h *Hub) Send(burst []record.Datagram, to []netip.AddrPort) (sent int, err error) {
	h.packets, h.peers = h.packets[:0], h.peers[:0]
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			h.packets, h.peers = append(h.packets, burst[i].Content()), append(h.peers, to[i])
		}
	}
	for packets, peers := h.packets, h.peers; len(packets) > 0; {
		n, err := h.conn.WriteBatchTo(packets, peers)
		sent += n
		if err != nil && !passing(err) {
			return sent, err
		}
		if err != nil && n < len(packets) {
			n++
		}
		packets, peers = packets[n:], peers[n:]
	}
	return sent, nil
}

// Addr is where the socket listens.
func (h *Hub) Addr() net.Addr { return h.conn.LocalAddr() }

// Close closes the socket.
func (h *Hub) Close() error { return h.conn.Close() }
