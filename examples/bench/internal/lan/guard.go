package lan

import (
	"fmt"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// guard is a host's IPsec: at most one SA of ESP each way, and at most one of AH around it.
// Packets in the clear are dropped where there is any.
type guard struct {
	out     *ipsecadapter.Outbound
	in      *ipsecadapter.Inbound
	layers  []layer // from the packet outwards
	by      [burstSize]*ipsecadapter.OutboundSA
	through [burstSize]*ipsecadapter.InboundSA
}

// layer is a pair of SAs.
type layer struct {
	out *ipsecadapter.OutboundSA
	in  *ipsecadapter.InboundSA
}

// newGuard makes a side's SAs.
func newGuard(e *engine.Engine, s *Setup, side Side) (*guard, error) {
	g := &guard{}
	db := ipsecadapter.NewDatabase()
	g.out, g.in = ipsecadapter.NewOutbound(e), ipsecadapter.NewInbound(e, db, ipsecadapter.InboundOptions{})
	for _, part := range []struct {
		protocol ipsecadapter.Protocol
		name     string
		keys     *[2][]byte
	}{{ipsecadapter.ESP, s.ESP, &s.ESPKeys}, {ipsecadapter.AH, s.AH, &s.AHKeys}} {
		if part.name == "" {
			continue
		}
		l, err := newLayer(e, part.protocol, part.name, part.keys, side)
		if err == nil {
			g.layers = append(g.layers, l)
			err = db.Add(l.in)
		}
		if err != nil {
			g.close()
			return nil, fmt.Errorf("lan: %s: %w", part.name, err)
		}
	}
	return g, nil
}

// spis are the lowest that are not reserved (RFC 4303 section 2.1).
const spis = 256

func newLayer(e *engine.Engine, p ipsecadapter.Protocol, name string, keys *[2][]byte, side Side) (l layer, err error) {
	t, err := ipsecadapter.ParseTransform(name)
	if err != nil {
		return l, err
	}
	association := func(towards Side) ipsecadapter.Association {
		return ipsecadapter.Association{Protocol: p, SPI: spis + uint32(towards), Transform: t,
			Key: keys[towards], Mode: ipsecadapter.Transport}
	}
	if l.out, err = ipsecadapter.NewOutboundSA(e, ipsecadapter.OutboundConfig{Association: association(side.other())}); err != nil {
		return l, err
	}
	l.in, err = ipsecadapter.NewInboundSA(e, ipsecadapter.InboundConfig{Association: association(side), Window: 1024})
	if err != nil {
		l.out.Close()
	}
	return l, err
}

// protect makes IP packets ESP and AH packets, in place.
func (g *guard) protect(burst []record.Datagram) {
	for _, l := range g.layers {
		by := g.by[:len(burst)]
		for i := range by {
			by[i] = l.out
		}
		g.out.Protect(burst, by)
	}
}

// unprotect opens them again. What did not come through every SA gets a cause.
func (g *guard) unprotect(burst []record.Datagram) {
	for i := len(g.layers) - 1; i >= 0; i-- {
		through := g.through[:len(burst)]
		g.in.Unprotect(burst, through)
		for j := range burst {
			if burst[j].Drop == record.DropNone && through[j] != g.layers[i].in {
				burst[j].Drop = record.DropSelector
			}
		}
	}
}

// drops are how many packets went no further, by cause.
func (g *guard) drops() record.Tally {
	sent, received := g.out.Stats(), g.in.Stats()
	for cause, n := range received.Drops {
		sent.Drops[cause] += n
	}
	return sent.Drops
}

func (g *guard) headroom() (n int) {
	for _, l := range g.layers {
		n += l.out.Headroom()
	}
	return n
}

func (g *guard) tailroom() (n int) {
	for _, l := range g.layers {
		n += l.out.Tailroom()
	}
	return n
}

func (g *guard) close() {
	for _, l := range g.layers {
		l.out.Close()
		l.in.Close()
	}
}
