package afpacket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync/atomic"

	"github.com/mdlayher/packet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/mmsg"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
)

type batch = mmsg.Batch[unix.RawSockaddrLinklayer]

// Port is an Ethernet interface.
type Port struct {
	socket *packet.Conn
	index  int
	in     *batch
	out    *batch // of their own memory: one goroutine receives while another sends
	hosts  hosts
	closed atomic.Bool
}

// Open opens an interface by name. It needs CAP_NET_RAW.
func Open(name string) (*Port, error) {
	face, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("afpacket: interface %s: %w", name, err)
	}
	socket, err := packet.Listen(face, packet.Datagram, unix.ETH_P_ALL, nil)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("afpacket: cannot open %s: this needs root or CAP_NET_RAW: %w", name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("afpacket: cannot open %s: %w", name, err)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		socket.Close()
		return nil, err
	}
	return &Port{socket: socket, index: face.Index, in: mmsg.New[unix.RawSockaddrLinklayer](raw), out: mmsg.New[unix.RawSockaddrLinklayer](raw)}, nil
}

// Receive waits for IP packets that others sent to this interface.
func (p *Port) Receive(burst []record.Datagram) (n int, err error) {
	for n == 0 {
		got, err := p.in.Receive(burst)
		if err != nil {
			return 0, p.explain(err)
		}
		for i := range got {
			if from := p.in.From(i); isIP(from) {
				p.keep(burst, n, i)
				n++
			}
		}
	}
	return n, nil
}

// keep makes what came into burst[i] packet n, and learns where its sender lives.
func (p *Port) keep(burst []record.Datagram, n, i int) {
	burst[n], burst[i] = burst[i], burst[n]
	burst[n].Off, burst[n].Len, burst[n].Drop = port.Headroom, p.in.Length(i), record.DropNone
	if p.in.Cut(i) {
		burst[n].Drop = record.DropTooLong
	}
	if from := p.in.From(i); from.Halen == 6 {
		p.hosts.learn(burst[n].Content(), [6]byte(from.Addr[:6]))
	}
}

func isIP(from *unix.RawSockaddrLinklayer) bool {
	ether := from.Protocol
	return from.Pkttype != unix.PACKET_OUTGOING && (ether == networkOrder(unix.ETH_P_IP) || ether == networkOrder(unix.ETH_P_IPV6))
}

// Send sends IP packets: to the host that was seen under the destination's
// address, else to all. A packet that the system refuses is dropped.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	for len(burst) > 0 {
		n := min(len(burst), port.MaxBurst)
		done, err := p.out.Send(burst[:n], p.address)
		sent += done
		if err != nil {
			return sent, p.explain(err)
		}
		burst = burst[n:]
	}
	return sent, nil
}

// address is where a packet goes.
func (p *Port) address(ip []byte) unix.RawSockaddrLinklayer {
	to := unix.RawSockaddrLinklayer{Family: unix.AF_PACKET, Ifindex: int32(p.index), Halen: 6}
	to.Protocol = networkOrder(unix.ETH_P_IP)
	if ip[0]>>4 == 6 {
		to.Protocol = networkOrder(unix.ETH_P_IPV6)
	}
	host := p.hosts.find(ip)
	copy(to.Addr[:], host[:])
	return to
}

// Close closes the socket.
func (p *Port) Close() error {
	p.closed.Store(true)
	return p.socket.Close()
}

func networkOrder(v uint16) uint16 {
	return binary.NativeEndian.Uint16([]byte{byte(v >> 8), byte(v)})
}

// explain tells the end of the port from its faults: the socket has an error of its own for
// that, which nobody can ask for.
func (p *Port) explain(err error) error {
	if p.closed.Load() {
		return net.ErrClosed
	}
	return err
}
