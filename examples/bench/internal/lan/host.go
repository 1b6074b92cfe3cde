package lan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

const (
	nic = 1
	// mtu holds a UDP datagram of 1400 bytes. It is the same with and without IPsec, so
	// that segments are; what IPsec adds has room on the cable.
	mtu = 1440
	// queued is how many packets wait for the cable: more than TCP's windows hold.
	queued = 4096
	// window is TCP's, in bytes.
	window = 1 << 20
)

// Host is one end of the cable.
type Host struct {
	stack *stack.Stack
	link  *channel.Endpoint
	guard *guard
	cable *cable
	stop  context.CancelFunc
	work  sync.WaitGroup

	mu      sync.Mutex
	failure error
}

// NewHost makes a host of a cable's end. The engine must allow legacy algorithms if the
// setup has any. The caller closes the host, which closes the cable.
func NewHost(e *engine.Engine, s *Setup, side Side, cable net.Conn) (*Host, error) {
	g, err := newGuard(e, s, side)
	if err != nil {
		return nil, err
	}
	h := &Host{guard: g, cable: newCable(cable), link: channel.New(queued, mtu, "")}
	if err := h.build(side); err != nil {
		g.close()
		return nil, err
	}
	var ctx context.Context
	ctx, h.stop = context.WithCancel(context.Background())
	h.work.Go(func() { h.end(h.send(ctx)) })
	h.work.Go(func() { h.end(h.receive()) })
	return h, nil
}

// address is that of a side's host.
func address(s Side) tcpip.Address { return tcpip.AddrFrom4([4]byte{10, 0, 0, 1 + byte(s)}) }

// build makes the network stack.
func (h *Host) build(side Side) error {
	h.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol, udp.NewProtocol},
	})
	sack := tcpip.TCPSACKEnabled(true)
	receive := tcpip.TCPReceiveBufferSizeRangeOption{Min: window, Default: window, Max: window}
	send := tcpip.TCPSendBufferSizeRangeOption{Min: window, Default: window, Max: window}
	for _, option := range []tcpip.SettableTransportProtocolOption{&sack, &receive, &send} {
		if err := h.stack.SetTransportProtocolOption(tcp.ProtocolNumber, option); err != nil {
			return failed("a TCP option", err)
		}
	}
	if err := h.stack.CreateNIC(nic, h.link); err != nil {
		return failed("the interface", err)
	}
	own := tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: address(side).WithPrefix()}
	if err := h.stack.AddProtocolAddress(nic, own, stack.AddressProperties{}); err != nil {
		return failed("the address", err)
	}
	h.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})
	return nil
}

// failed is a network stack's refusal as an error.
func failed(what string, why tcpip.Error) error {
	return fmt.Errorf("lan: %s: %s", what, why)
}

// send takes what the stack sends, in bursts, and puts it on the cable.
func (h *Host) send(ctx context.Context) error {
	slots := newSlots(lengthSize+h.guard.headroom(), h.guard.tailroom())
	for {
		packet := h.link.ReadContext(ctx)
		if packet == nil {
			return nil
		}
		n := 0
		for ; packet != nil; packet = h.link.Read() {
			slots.put(n, packet)
			packet.DecRef()
			if n++; n == burstSize {
				break
			}
		}
		burst := slots.burst[:n]
		h.guard.protect(burst)
		if err := h.cable.write(burst); err != nil {
			return err
		}
	}
}

// slots are buffers with room round a packet.
type slots struct {
	burst    [burstSize]record.Datagram
	headroom int
}

func newSlots(headroom, tailroom int) *slots {
	s := &slots{headroom: headroom}
	for i := range s.burst {
		s.burst[i].Buf = make([]byte, headroom+mtu+tailroom)
	}
	return s
}

// put copies a packet into a slot.
func (s *slots) put(i int, packet *stack.PacketBuffer) {
	d := &s.burst[i]
	d.Off, d.Len, d.Drop = s.headroom, 0, record.DropNone
	for _, part := range packet.AsSlices() {
		d.Len += copy(d.Buf[d.Off+d.Len:], part)
	}
}

// receive takes bursts off the cable and gives the stack what is authentic.
func (h *Host) receive() error {
	var burst [burstSize]record.Datagram
	for {
		n, err := h.cable.read(burst[:])
		if err != nil {
			return err
		}
		h.guard.unprotect(burst[:n])
		for i := range burst[:n] {
			if burst[i].Drop == record.DropNone {
				h.deliver(burst[i].Content())
			}
		}
	}
}

func (h *Host) deliver(content []byte) {
	packet := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(content)})
	h.link.InjectInbound(ipv4.ProtocolNumber, packet)
	packet.DecRef()
}

// end keeps why a direction stopped, if that was not the end of the cable.
func (h *Host) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure == nil && err != nil && !ended(err) {
		h.failure = err
	}
}

// ended reports whether an error is what the end of the cable looks like.
func ended(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.As(err, &op)
}

// Drops are how many packets ESP and AH refused, by cause.
func (h *Host) Drops() record.Tally { return h.guard.drops() }

// Close pulls the cable and returns what failed meanwhile.
func (h *Host) Close() error {
	h.stop()
	_ = h.cable.conn.Close()
	h.work.Wait()
	h.stack.Destroy()
	h.guard.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failure
}
