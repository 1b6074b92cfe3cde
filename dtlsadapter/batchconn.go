package dtlsadapter

import (
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
	ReadBatch(burst []record.Datagram) (n int, err error)
	// WriteBatch sends datagrams in order and returns how many it sent. It is safe
	// for concurrent use.
	WriteBatch(datagrams [][]byte) (n int, err error)
}

// Batch gives conn the methods of a BatchConn: its own where it has them, batched
// system calls for a connected *net.UDPConn, and one datagram a call for any other.
func Batch(conn net.Conn) (BatchConn, error) {
	switch c := conn.(type) {
	case BatchConn:
		return c, nil
	case *net.UDPConn:
		return newUDPConn(c)
	}
	return &single{Conn: conn}, nil
}

// single moves one datagram at a time through any net.Conn.
type single struct {
	net.Conn
	buffer []byte
}

func (s *single) ReadBatch(burst []record.Datagram) (int, error) {
	if len(burst) == 0 {
		return 0, nil
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
