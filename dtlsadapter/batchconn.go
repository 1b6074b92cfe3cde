package dtlsadapter

import (
	"crypto/tls"
	"net"

	"github.com/sealburst/sealburst/record"
)

// BatchConn is a datagram transport that moves several datagrams in a call. Client
// and Server use it when the net.Conn that they get is one, and make one of a
// *net.UDPConn themselves. Without it every burst is of one record.
type BatchConn interface {
	net.Conn
	// ReadBatch waits for at least one datagram and describes as many as are there
	// in burst, all fields of each. Their memory is the transport's: it is the
	// caller's to read and write until the next ReadBatch. Only one goroutine calls it.
	// burst has room for one at least; what Batch makes refuses another with a FieldError.
	ReadBatch(burst []record.Datagram) (n int, err error)
	// WriteBatch sends datagrams in order and returns how many it sent. It is safe
	// for concurrent use.
	WriteBatch(datagrams [][]byte) (n int, err error)
}

// Batch gives conn the methods of a BatchConn: its own where it has them, batched
// system calls for a connected *net.UDPConn, and one datagram a call for any other. It
// fails with an ErrConfig for none, for a UDP socket that is not connected, and for a
// stream, TCP, TLS or Unix's, which would run datagrams together. What wraps one is taken
// at its word.
func Batch(conn net.Conn) (BatchConn, error) {
	switch {
	case missing(conn):
		return nil, &FieldError{"conn", "missing"}
	case streams(conn):
		return nil, &FieldError{"conn", "a stream, which does not keep datagrams apart"}
	}
	switch c := conn.(type) {
	case BatchConn:
		return c, nil
	case *net.UDPConn:
		return newUDPConn(c)
	}
	return &single{Conn: conn}, nil
}

// missing reports whether there is no transport, also when its type is there.
func missing(conn net.Conn) bool {
	u, ok := conn.(*net.UDPConn)
	return conn == nil || ok && u == nil
}

// streams reports whether a transport may join or cut what is written to it. Of one that
// wraps a stream nobody knows: it may frame datagrams, as that of RFC 4571 does for ICE.
// net.Pipe keeps writes apart for whoever reads with enough room.
func streams(conn net.Conn) bool {
	switch c := conn.(type) {
	case *net.TCPConn, *tls.Conn:
		return true
	case *net.UnixConn:
		address := c.LocalAddr()
		return address != nil && address.Network() == "unix"
	}
	return false
}

// single moves one datagram at a time through any net.Conn.
type single struct {
	net.Conn
	buffer []byte
}

func (s *single) ReadBatch(burst []record.Datagram) (int, error) {
	if len(burst) == 0 {
		return 0, &FieldError{"burst", "empty"}
	}
	if s.buffer == nil {
		s.buffer = make([]byte, maxDatagram)
	}
	n, err := s.Read(s.buffer)
	if err != nil {
		return 0, err
	}
	burst[0] = record.Datagram{Buf: s.buffer, Len: n}
	return 1, nil
}

func (s *single) WriteBatch(datagrams [][]byte) (n int, err error) {
	for ; n < len(datagrams); n++ {
		if _, err := s.Write(datagrams[n]); err != nil {
			return n, err
		}
	}
	return n, nil
}
