package lan

import (
	"encoding/binary"
	"io"
	"net"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
)

// The ports of the services that the target offers.
const (
	echoPort    = 7  // RFC 862, TCP and UDP
	discardPort = 9  // RFC 863, but it closes when it has everything
	sourcePort  = 19 // sends as many bytes as it is asked for in 8
)

// chunk is what is read and written at once.
const chunk = 64 << 10

// Serve offers echo, discard and a source until the host is closed.
func (h *Host) Serve() error {
	for port, service := range map[uint16]func(net.Conn) error{echoPort: echo, discardPort: discard, sourcePort: source} {
		l, err := gonet.ListenTCP(h.stack, tcpip.FullAddress{NIC: nic, Port: port}, ipv4.ProtocolNumber)
		if err != nil {
			return err
		}
		go serve(l, service)
	}
	u, err := gonet.DialUDP(h.stack, &tcpip.FullAddress{NIC: nic, Port: echoPort}, nil, ipv4.ProtocolNumber)
	if err != nil {
		return err
	}
	go echoDatagrams(u)
	return nil
}

// serve takes connections until the listener ends.
func serve(l net.Listener, service func(net.Conn) error) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			_ = service(c) // the peer finds out
			_ = c.Close()
		}()
	}
}

func echo(c net.Conn) error {
	_, err := io.CopyBuffer(writeOnly{c}, c, make([]byte, chunk))
	return err
}

func discard(c net.Conn) error {
	_, err := io.CopyBuffer(writeOnly{io.Discard}, c, make([]byte, chunk))
	return err
}

// writeOnly hides what else a writer can, so that the buffer is used.
type writeOnly struct{ io.Writer }

func source(c net.Conn) error {
	var ask [8]byte
	if _, err := io.ReadFull(c, ask[:]); err != nil {
		return err
	}
	return send(c, int64(binary.BigEndian.Uint64(ask[:])))
}

// echoDatagrams sends each datagram back to where it came from.
func echoDatagrams(u net.PacketConn) {
	buffer := make([]byte, longest)
	for {
		n, from, err := u.ReadFrom(buffer)
		if err != nil {
			return
		}
		_, _ = u.WriteTo(buffer[:n], from) // what is lost, the peer sends again
	}
}
