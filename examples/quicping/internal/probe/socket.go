package probe

import (
	"net"
	"time"

	"github.com/sealburst/sealburst/record"
)

// Sizes of datagrams: what we send (RFC 9000 section 14.1), and the most that we take.
const (
	datagramSize = 1200
	maxReceived  = 1500
	readBurst    = 32
)

// socket reads bursts of datagrams from one server.
type socket struct {
	udp    *net.UDPConn
	reader reader
	burst  []record.Datagram
}

func dial(address string) (*socket, error) {
	remote, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	udp, err := net.DialUDP("udp", nil, remote)
	if err != nil {
		return nil, err
	}
	return &socket{udp: udp, reader: newReader(udp)}, nil
}

// read waits until the deadline for a burst of datagrams, which the next call overwrites.
func (s *socket) read(deadline time.Time) ([]record.Datagram, error) {
	if err := s.udp.SetReadDeadline(deadline); err != nil {
		return nil, err
	}
	var err error
	s.burst, err = s.reader.read(s.burst[:0])
	return s.burst, err
}
