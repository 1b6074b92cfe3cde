package rawip

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/mmsg"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
)

// socketBuffer is how much the system is asked to queue in each direction.
const socketBuffer = 4 << 20

type batch = mmsg.Batch[unix.RawSockaddrInet4]

// Port is a raw socket.
type Port struct {
	conn *net.IPConn
	in   *batch
	out  *batch // of their own memory: one goroutine receives while another sends
}

// Open opens a socket for the packets of a protocol to that address. It needs CAP_NET_RAW.
func Open(local netip.Addr, protocol int) (*Port, error) {
	if !local.Is4() {
		return nil, fmt.Errorf("%w: %v", ErrAddress, local)
	}
	conn, err := net.ListenIP(fmt.Sprintf("ip4:%d", protocol), &net.IPAddr{IP: local.AsSlice()})
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("rawip: cannot open %v: this needs root or CAP_NET_RAW: %w", local, err)
	}
	if err != nil {
		return nil, err
	}
	raw, err := conn.SyscallConn()
	if err == nil {
		var failed error
		err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_HDRINCL, 1) })
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	_ = conn.SetReadBuffer(socketBuffer) // the system may grant less, and that is good enough
	_ = conn.SetWriteBuffer(socketBuffer)
	return &Port{conn: conn, in: mmsg.New[unix.RawSockaddrInet4](raw), out: mmsg.New[unix.RawSockaddrInet4](raw)}, nil
}

// Receive waits for packets.
func (p *Port) Receive(burst []record.Datagram) (int, error) {
	n, err := p.in.Receive(burst)
	if err != nil {
		return 0, closedError(err)
	}
	for i := range n {
		d := &burst[i]
		d.Off, d.Len, d.Drop = port.Headroom, p.in.Length(i), record.DropNone
		if p.in.Cut(i) {
			d.Drop = record.DropTooLong
		}
	}
	return n, nil
}

// Send sends IPv4 packets to where their headers say. One that the system refuses, since
// it is longer than the path takes for instance, is lost, as it may be on the wire.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	for len(burst) > 0 {
		n := min(len(burst), port.MaxBurst)
		refuse(burst[:n])
		done, err := p.out.Send(burst[:n], destination)
		sent += done
		if err != nil {
			return sent, closedError(err)
		}
		burst = burst[n:]
	}
	return sent, nil
}

const headerSize = 20 // of IPv4 at least

// refuse drops what is not IPv4. The system does not look at the version: it would send an
// IPv6 packet of some traffic classes to an address made of the middle of its source.
func refuse(burst []record.Datagram) {
	for i := range burst {
		d := &burst[i]
		if d.Drop == record.DropNone && (d.Len < headerSize || d.Content()[0]>>4 != 4) {
			d.Drop = record.DropMalformed
		}
	}
}

// destination is where an IPv4 packet goes.
func destination(packet []byte) unix.RawSockaddrInet4 {
	return unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: [4]byte(packet[16:headerSize])}
}

// Close closes the socket.
func (p *Port) Close() error { return p.conn.Close() }

func closedError(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
		return net.ErrClosed
	}
	return err
}
