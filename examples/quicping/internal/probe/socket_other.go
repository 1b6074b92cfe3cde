//go:build !linux

package probe

import (
	"net"

	"github.com/sealburst/sealburst/record"
)

// reader takes one datagram a call, as these systems have no recvmmsg.
type reader struct {
	udp *net.UDPConn
	buf []byte
}

func newReader(udp *net.UDPConn) reader { return reader{udp, make([]byte, maxReceived)} }

// read appends a burst of one.
func (r *reader) read(burst []record.Datagram) ([]record.Datagram, error) {
	n, err := r.udp.Read(r.buf)
	if err != nil {
		return burst, err
	}
	return append(burst, record.Datagram{Buf: r.buf, Len: n}), nil
}
