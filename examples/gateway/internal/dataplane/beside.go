package dataplane

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// Beside carries the datagrams of a gateway that its workers do not handle themselves,
// as the transport of a dtlsadapter.Listener. Workers never wait for it: what the
// listener is too slow for, and what workers are too slow to send, is lost and counted.
type Beside struct {
	host   *ethernet.Host
	port   uint16
	in     chan parcel
	out    chan parcel
	closed chan struct{}
	once   sync.Once
	shed   atomic.Uint64
}

// parcel is a datagram with its peer.
type parcel struct {
	peer netip.AddrPort
	data []byte
}

// besideQueue bounds what waits in either direction.
const besideQueue = 4096

var _ dtlsadapter.PacketTransport = (*Beside)(nil)

func newBeside(host *ethernet.Host, port uint16) *Beside {
	return &Beside{
		host: host, port: port, in: make(chan parcel, besideQueue), out: make(chan parcel, besideQueue), closed: make(chan struct{}),
	}
}

// give hands a datagram to the listener. It copies: these are handshakes, and few.
func (t *Beside) give(from peer, datagram []byte) {
	p := parcel{netip.AddrPortFrom(from.addr(), from.port), append([]byte(nil), datagram...)}
	select {
	case t.in <- p:
	default:
		t.shed.Add(1)
	}
}

// Shed is how many datagrams were lost because the listener or the workers were too slow.
func (t *Beside) Shed() uint64 { return t.shed.Load() }

// Waiting reports whether datagrams wait for the workers to send them.
func (t *Beside) Waiting() bool { return len(t.out) > 0 }

// ReadBatchFrom waits for datagrams.
func (t *Beside) ReadBatchFrom(burst []record.Datagram, from []netip.AddrPort) (n int, err error) {
	select {
	case <-t.closed:
		return 0, net.ErrClosed
	case p := <-t.in:
		burst[0], from[0] = record.Datagram{Buf: p.data, Len: len(p.data)}, p.peer
	}
	for n = 1; n < len(burst); n++ {
		select {
		case p := <-t.in:
			burst[n], from[n] = record.Datagram{Buf: p.data, Len: len(p.data)}, p.peer
		default:
			return n, nil
		}
	}
	return n, nil
}

// WriteBatchTo leaves datagrams for a worker to send.
func (t *Beside) WriteBatchTo(datagrams [][]byte, to []netip.AddrPort) (n int, err error) {
	for n = range datagrams {
		p := parcel{to[n], append([]byte(nil), datagrams[n]...)}
		select {
		case <-t.closed:
			return n, net.ErrClosed
		case t.out <- p:
		default:
			t.shed.Add(1) // lost, as it may be on the wire
		}
	}
	return len(datagrams), nil
}

// fetch makes packets of what is to be sent.
func (t *Beside) fetch(b *ethernet.Burst, hops *Hops, q ethernet.Queue) {
	n := min(len(t.out), ethernet.MaxBurst) // several workers may see the same; one gets it
	if n == 0 || !q.Allocate(b, n) {
		return
	}
	for i := range n {
		d := &b.Frames[i]
		select {
		case p := <-t.out:
			hops[i] = t.pack(d, &p, q.ChecksUDP())
		default:
			d.Drop = record.DropDummy
		}
	}
	b.CheckUDP = q.ChecksUDP()
}

// pack makes a packet of a datagram, and says where it goes.
func (t *Beside) pack(d *record.Datagram, p *parcel, checked bool) *ethernet.Neighbour {
	to := netip.AddrPortFrom(p.peer.Addr().Unmap(), p.peer.Port())
	hop, own := t.host.Hop(to.Addr()), t.host.Source(to.Addr())
	if hop == nil || !own.IsValid() || len(p.data) > len(d.Buf)-d.Off {
		d.Drop = record.DropTooLong
		return nil
	}
	d.Len = copy(d.Buf[d.Off:], p.data)
	header := newOuter(netip.AddrPortFrom(own, t.port), to)
	if header.put(d); d.Drop == record.DropNone && !checked {
		checkUDP(d.Content())
	}
	return hop
}

// LocalAddr is the port at no address in particular.
func (t *Beside) LocalAddr() net.Addr { return &net.UDPAddr{Port: int(t.port)} }

// Close ends reading and writing.
func (t *Beside) Close() error {
	t.once.Do(func() { close(t.closed) })
	return nil
}
