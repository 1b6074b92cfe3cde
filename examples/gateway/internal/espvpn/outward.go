package espvpn

import (
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// outward carries bursts from the plain side to the link. One goroutine runs it.
type outward struct {
	*Gateway
	burst [port.MaxBurst]record.Datagram
	by    [port.MaxBurst]*ipsecadapter.OutboundSA
	to    [port.MaxBurst]netip.AddrPort
	sizes [port.MaxBurst]int // of the packets inside

	last netip.Addr // the destination of the packet before: they come in runs
	peer *Peer      // behind which it lives, nil for none
	end  netip.AddrPort
}

func newOutward(g *Gateway) *outward {
	o := &outward{Gateway: g}
	copy(o.burst[:], port.NewBurst(port.MaxBurst, g.MTU))
	return o
}

// run moves packets until a side fails, and returns its error.
func (o *outward) run() error {
	for {
		n, err := o.Plain.Receive(o.burst[:])
		if err != nil {
			return plainError(err)
		}
		if err := o.carry(n); err != nil {
			return err
		}
	}
}

// carry seals the burst's first packets and sends them.
func (o *outward) carry(n int) error {
	var drops record.Tally
	if err := o.sort(n, &drops); err != nil {
		return err
	}
	burst := o.burst[:n]
	good := o.out.Protect(burst, o.by[:n])
	sent, err := o.send(burst, o.to[:n])
	if err != nil {
		return linkError(err)
	}
	drops[record.DropFailed] += uint64(good - sent)
	o.count(burst, sent, &drops)
	return nil
}

// sort finds each packet's SA and where it goes, and counts what has none.
func (o *outward) sort(n int, drops *record.Tally) error {
	o.last = netip.Addr{} // peers move between bursts
	for i := range n {
		d := &o.burst[i]
		o.by[i], o.sizes[i] = nil, d.Len
		if d.Drop == record.DropNone {
			d.Drop = o.find(d.Content())
		}
		if d.Drop != record.DropNone {
			drops[d.Drop]++
			continue
		}
		if err := o.peer.numbers.Take(); err != nil {
			return fmt.Errorf("%w: %w", errNumbers, err)
		}
		o.by[i], o.to[i] = o.peer.out, o.end
	}
	return nil
}

// find looks for the packet's peer, or says why it has none.
func (o *outward) find(packet []byte) record.Drop {
	_, destination, ok := ippacket.Addresses(packet)
	if !ok {
		return record.DropMalformed
	}
	if destination != o.last {
		o.last = destination
		o.peer, o.end = o.route(destination)
	}
	if o.peer == nil {
		return record.DropUnknownSession
	}
	return record.DropNone
}

// route finds the peer behind which an address lives, and where the peer is; nil for one
// that cannot be reached.
func (o *outward) route(destination netip.Addr) (*Peer, netip.AddrPort) {
	peer := o.Peers.routes.find(destination)
	if peer == nil || !o.Socket {
		return peer, netip.AddrPort{}
	}
	if end := peer.endpoint.Load(); end != nil {
		return peer, *end
	}
	return nil, netip.AddrPort{}
}

// count adds up what left. What Protect dropped it has counted itself.
func (o *outward) count(burst []record.Datagram, sent int, drops *record.Tally) {
	var bytes uint64
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			bytes += uint64(o.sizes[i])
		}
	}
	o.Count.Out.Add(sent, bytes, drops)
}
