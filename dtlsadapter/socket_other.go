//go:build !linux

package dtlsadapter

import (
	"net"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

// socket moves datagrams through a UDP socket, one a system call: this system has no
// call that moves several.
type socket struct {
	conn      *net.UDPConn
	connected bool
	buffer    []byte
}

func newSocket(c *net.UDPConn, connected bool) (*socket, error) {
	return &socket{c, connected, make([]byte, maxDatagram)}, nil
}

// read waits for a datagram. from takes its sender unless it is nil.
func (s *socket) read(burst []record.Datagram, from []netip.AddrPort) (int, error) {
	n, addr, err := s.conn.ReadFromUDPAddrPort(s.buffer)
	if err != nil {
		return 0, err
	}
	burst[0] = record.Datagram{Buf: s.buffer, Len: n}
	if from != nil {
		from[0] = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	}
	return 1, nil
}

// write sends datagrams in order and returns how many it sent.
func (s *socket) write(datagrams [][]byte, to destinations) (n int, err error) {
	for ; n < len(datagrams); n++ {
		if s.connected {
			_, err = s.conn.Write(datagrams[n])
		} else {
			_, err = s.conn.WriteToUDPAddrPort(datagrams[n], to.at(n))
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
