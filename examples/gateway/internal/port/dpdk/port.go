package dpdk

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Port is a device as the other ports are: it receives the IP packets that come to it or
// through it and sends IP packets to neighbours. It copies each packet once; a gateway
// between two devices does without, in package dataplane.
type Port struct {
	device *Device
	pool   *Pool
	host   *ethernet.Host
	mtu    int
	closed atomic.Bool
	start  time.Time

	receiving    sync.Mutex // held while a goroutine receives, and by Close at last
	in, answers  ethernet.Burst
	next         int // of in
	round        uint
	asked        time.Duration
	receiveQueue ethernet.Queue

	sending   sync.Mutex
	out       ethernet.Burst
	hops      [ethernet.MaxBurst]*ethernet.Neighbour // of out
	sendQueue ethernet.Queue
}

const (
	portBuffers = 8192
	pollEvery   = 50 * time.Microsecond
	askEvery    = time.Millisecond
)

// OpenPort opens a port as an operator names it: DEVICE, or DEVICE@ADDRESS/BITS[,…] with
// the gateway's own addresses on that network. DPDK is started if it is not yet.
func OpenPort(spec string, mtu int) (*Port, error) {
	name, addresses, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	if _, err := Start(nil, name); err != nil {
		return nil, err
	}
	mtu = max(mtu, defaultMTU) // hosts on the network send that much, whatever the tunnel takes
	pool, err := NewPool(portBuffers, mtu, name)
	if err != nil {
		return nil, err
	}
	device, err := Open(Config{Name: name, Queues: 2, OneReceiver: true, MTU: mtu, Pool: pool})
	if err != nil {
		pool.Close()
		return nil, err
	}
	p := &Port{
		device: device, pool: pool, mtu: mtu, start: time.Now(),
		host:         ethernet.NewHost(ethernet.Config{MAC: device.MAC, Addresses: addresses}),
		receiveQueue: device.Queue(0), sendQueue: device.Queue(1),
	}
	return p, nil
}

func parseSpec(spec string) (device string, addresses []netip.Prefix, err error) {
	device, list, found := strings.Cut(spec, "@")
	if !found {
		return device, nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		address, err := netip.ParsePrefix(text)
		if err != nil {
			return "", nil, fmt.Errorf("dpdk: %s: %q is no address with its bits", spec, text)
		}
		addresses = append(addresses, address)
	}
	return device, addresses, nil
}

// Receive waits for IP packets. What the network asks of the gateway itself is answered.
func (p *Port) Receive(burst []record.Datagram) (n int, err error) {
	p.receiving.Lock()
	defer p.receiving.Unlock()
	for {
		if p.closed.Load() {
			return 0, net.ErrClosed
		}
		if n = p.take(burst); n > 0 || len(burst) == 0 {
			return n, nil
		}
		if p.poll(); p.in.N == 0 {
			time.Sleep(pollEvery)
		}
	}
}

// poll looks at the device once, and asks for neighbours that are due.
func (p *Port) poll() {
	if now := time.Since(p.start); now-p.asked > askEvery {
		p.asked = now
		p.host.Ask(p.round, now, p.receiveQueue, &p.answers)
		p.round++
	}
	p.receiveQueue.Receive(&p.in)
	p.answers.N, p.next = 0, 0
	for i := range p.in.Frames[:p.in.N] {
		d := &p.in.Frames[i]
		switch p.host.Take(d) {
		case ethernet.Answer:
			p.in.Move(i, &p.answers)
		case ethernet.Taken:
			d.Drop = record.DropDummy
		}
	}
	if p.answers.N != 0 {
		p.receiveQueue.Send(&p.answers)
	}
}

// take copies what is left of the last look, and gives the frames back after the last.
func (p *Port) take(burst []record.Datagram) (n int) {
	for ; n < len(burst) && p.next < p.in.N; p.next++ {
		switch d := &p.in.Frames[p.next]; d.Drop {
		case record.DropNone:
			port.Put(&burst[n], d.Content())
			d.Drop = record.DropDummy // it is not sent
			n++
		case record.DropDummy, record.DropClosed: // answered
		default:
			burst[n].Drop, burst[n].Off, burst[n].Len = d.Drop, port.Headroom, 0
			n++
		}
	}
	if p.in.N != 0 && p.next == p.in.N {
		p.receiveQueue.Send(&p.in)
	}
	return n
}

// Send sends IP packets to the neighbours that they go to. Those of which it is not known
// yet where they live lose a packet, and are asked for.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	p.sending.Lock()
	defer p.sending.Unlock()
	for len(burst) > 0 {
		if p.closed.Load() {
			return sent, net.ErrClosed
		}
		n := min(len(burst), ethernet.MaxBurst)
		if p.sendQueue.Allocate(&p.out, n) {
			sent += p.send(burst[:n])
		} else {
			refuse(burst[:n], record.DropQueueFull)
		}
		burst = burst[n:]
	}
	return sent, nil
}

func refuse(burst []record.Datagram, cause record.Drop) {
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			burst[i].Drop = cause
		}
	}
}

func (p *Port) send(burst []record.Datagram) int {
	frames := p.out.Frames[:len(burst)]
	for i := range burst {
		if frames[i].Drop = burst[i].Drop; frames[i].Drop == record.DropNone {
			p.hops[i] = p.fill(&frames[i], burst[i].Content())
		}
	}
	p.host.Frames(frames, p.hops[:len(burst)], p.mtu)
	for i := range burst {
		burst[i].Drop = frames[i].Drop
	}
	return p.sendQueue.Send(&p.out)
}

// fill copies a packet into a buffer and finds the neighbour that it goes to.
func (p *Port) fill(f *record.Datagram, packet []byte) *ethernet.Neighbour {
	if len(packet) > p.mtu || len(packet) > len(f.Buf)-f.Off {
		f.Drop = record.DropTooLong
		return nil
	}
	f.Len = copy(f.Buf[f.Off:], packet)
	if _, to, ok := ippacket.Addresses(packet); ok {
		return p.host.Hop(to)
	}
	return nil
}

// Close closes the device and wakes who receives.
func (p *Port) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	p.receiving.Lock()
	defer p.receiving.Unlock()
	p.sending.Lock()
	defer p.sending.Unlock()
	for i := range p.in.Frames[:p.in.N] {
		p.in.Frames[i].Drop = record.DropClosed
	}
	p.receiveQueue.Send(&p.in)
	err := p.device.Close()
	if left := p.pool.Used(); left != 0 {
		err = errors.Join(err, fmt.Errorf("dpdk: %d buffers are not back", left))
	}
	p.pool.Close()
	return err
}
