// Package udp opens UDP sockets for the gateway, and is a port on one: each packet
// travels in a datagram of its own, in the clear. The sockets are read and written in
// batches, as dtlsadapter.Batch does.
package udp

import (
	"net"
)

// socketBuffer is how much the system is asked to queue in each direction: some
// milliseconds of a fast stream.
const socketBuffer = 4 << 20

// Listen opens a socket on an address such as ":4433".
func Listen(address string) (*net.UDPConn, error) {
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp", at)
	if err != nil {
		return nil, err
	}
	return roomy(conn), nil
}

// Dial opens a socket that is connected to a peer. Local may be empty.
func Dial(local, peer string) (*net.UDPConn, error) {
	to, err := net.ResolveUDPAddr("udp", peer)
	if err != nil {
		return nil, err
	}
	var from *net.UDPAddr
	if local != "" {
		if from, err = net.ResolveUDPAddr("udp", local); err != nil {
			return nil, err
		}
	}
	conn, err := net.DialUDP("udp", from, to)
	if err != nil {
		return nil, err
	}
	return roomy(conn), nil
}

// roomy asks for buffers. The system may grant less, and that is good enough.
func roomy(conn *net.UDPConn) *net.UDPConn {
	_ = conn.SetReadBuffer(socketBuffer)
	_ = conn.SetWriteBuffer(socketBuffer)
	return conn
}
