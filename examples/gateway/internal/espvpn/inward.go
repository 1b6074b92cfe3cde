package espvpn

import (
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// overhead is how much longer than the packet inside an ESP packet may be: the headers of
// IPv6, UDP and ESP with a whole block of IV in front, padding and ICV behind.
const overhead = port.Headroom + port.Tailroom

// inward carries bursts from the link to the plain side. One goroutine runs it.
type inward struct {
	*Gateway
	burst [port.MaxBurst]record.Datagram
	by    [port.MaxBurst]*ipsecadapter.InboundSA
	from  [port.MaxBurst]netip.AddrPort
}

func newInward(g *Gateway) *inward {
	in := &inward{Gateway: g}
	copy(in.burst[:], port.NewBurst(port.MaxBurst, g.MTU+overhead))
	return in
}

// run moves packets until a side fails, and returns its error.
func (in *inward) run() error {
	for {
		n, err := in.Link.Receive(in.burst[:], in.from[:])
		if err != nil {
			return linkError(err)
		}
		in.countCut(in.burst[:n])
		in.in.Unprotect(in.burst[:n], in.by[:n])
		if err := in.remember(n); err != nil {
			return err
		}
		if in.Socket {
			in.follow(n)
		}
		packets := gather(in.burst[:n])
		sent, err := in.Plain.Send(packets)
		in.Count.In.Count(packets, sent)
		if err != nil {
			return plainError(err)
		}
	}
}

// countCut counts what the link dropped itself, as it does what is longer than a buffer.
func (in *inward) countCut(burst []record.Datagram) {
	var drops record.Tally
	for i := range burst {
		drops[burst[i].Drop]++
	}
	in.Count.In.Add(0, 0, &drops)
}

// remember writes down what was accepted before it goes on, so that it would not be once
// more by a gateway that took over.
func (in *inward) remember(n int) error {
	for i := range n {
		sa := in.by[i]
		if in.burst[i].Drop != record.DropNone || i > 0 && sa == in.by[i-1] && in.burst[i-1].Drop == record.DropNone {
			continue
		}
		mark := in.Peers.behind[sa].mark
		highest, _ := sa.Highest() // it has accepted one
		if highest < mark.Lowest() {
			continue
		}
		if err := mark.Put(seqstore.Behind(highest)); err != nil {
			return fmt.Errorf("%w: %w", errNumbers, err)
		}
	}
	return nil
}

// gather puts what came through in front. Unprotect has counted the rest.
func gather(burst []record.Datagram) []record.Datagram {
	n := 0
	for i := range burst {
		if burst[i].Drop == record.DropNone {
			burst[n], burst[i] = burst[i], burst[n]
			n++
		}
	}
	return burst[:n]
}

// follow learns where peers are from what is authentic and fresh, as RFC 7296 section 2.23
// has it for peers behind a NAT.
func (in *inward) follow(n int) {
	for i := range n {
		if in.burst[i].Drop != record.DropNone {
			continue
		}
		if i > 0 && in.by[i] == in.by[i-1] && in.from[i] == in.from[i-1] && in.burst[i-1].Drop == record.DropNone {
			continue
		}
		peer := in.Peers.behind[in.by[i]].peer
		if peer.fixed {
			continue
		}
		if end := peer.endpoint.Load(); end == nil || *end != in.from[i] {
			peer.put(in.from[i], false)
			in.Log.Info("peer found", "peer", peer.name, "at", in.from[i].String())
		}
	}
}
