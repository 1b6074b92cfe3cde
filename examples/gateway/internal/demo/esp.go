package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/espvpn"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// overESP joins the gateways by SAs under throwaway keys, in tunnel mode over IPv4.
type overESP struct{ transform ipsecadapter.Transform }

// Where the gateways stand, and what each of them is the way to: everything.
var (
	outside    = []netip.Addr{netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("198.51.100.2")}
	everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
)

func (o *overESP) join(ctx context.Context, e *engine.Engine, longest int, r *Report) (*pair, contest, error) {
	r.Suite = "ESP in a tunnel, " + o.transform.String()
	files, err := safile.Generate(safile.Plan{
		Names: []string{"left", "right"}, Transform: o.transform, Network: netip.PrefixFrom(outside[0], 24), Ends: outside,
	})
	if err != nil {
		return nil, nil, err
	}
	p, ends := newPair(longest), &espEnds{}
	ctx, p.stop = context.WithCancel(ctx)
	p.tell = ends.tell
	left, right := memory.Pair(ringDepth, longest+port.Headroom+port.Tailroom)
	for i, link := range []*memory.Port{left, right} {
		g, err := newESPGateway(e, &files[i], p.inner[i], link, longest, &ends.counters[i])
		if err != nil {
			p.stop()
			return nil, nil, err
		}
		ends.gateways[i] = g
		p.run(files[1-i].SAs[0].Peer, func() error { return errors.Join(g.Run(ctx), g.Peers.Close()) })
	}
	return p, func() (*contenders, error) { return espContenders(e, o.transform) }, nil
}

func newESPGateway(e *engine.Engine, file *safile.File, plain, link port.Port, longest int, count *tunnel.Counters) (*espvpn.Gateway, error) {
	for i := range file.SAs {
		file.SAs[i].Behind = everywhere
	}
	peers, err := espvpn.Open(e, file, espvpn.Options{Store: seqstore.InMemory()})
	if err != nil {
		return nil, err
	}
	return espvpn.New(espvpn.Config{
		Engine: e, Plain: plain, Link: espvpn.OnPort(link), Peers: peers, MTU: longest, Log: slog.New(slog.DiscardHandler), Count: count,
	}), nil
}

// espEnds are the two gateways.
type espEnds struct {
	gateways [2]*espvpn.Gateway
	counters [2]tunnel.Counters
}

// tell writes down bursts and drops. Packets go one way: from the first gateway to the
// second.
func (s *espEnds) tell(r *Report) {
	r.Sealed, _ = s.gateways[0].Bursts()
	_, r.Opened = s.gateways[1].Bursts()
	var drops record.Tally
	for _, g := range s.gateways {
		for cause, n := range g.Drops() {
			drops[cause] += n
		}
	}
	r.addDrops(drops.ByName(), &s.counters[0], &s.counters[1])
}

// espBatched is the engine's.
type espBatched struct {
	out   *ipsecadapter.Outbound
	in    *ipsecadapter.Inbound
	outSA *ipsecadapter.OutboundSA
	inSA  *ipsecadapter.InboundSA
	by    []*ipsecadapter.OutboundSA
}

func (b *espBatched) Protect(burst []record.Datagram) int {
	return b.out.Protect(burst, b.by[:len(burst)])
}

func (b *espBatched) Unprotect(burst []record.Datagram) int { return b.in.Unprotect(burst, nil) }

func (b *espBatched) close() {
	b.outSA.Close()
	b.inSA.Close()
}

// newESPBatched makes an SA under a random key, and its description.
func newESPBatched(e *engine.Engine, transform ipsecadapter.Transform) (*espBatched, *ipsecadapter.Association, error) {
	key := make([]byte, transform.KeySize())
	if _, err := rand.Read(key); err != nil {
		return nil, nil, err
	}
	a := ipsecadapter.Association{
		SPI: 0x10001, Transform: transform, Key: key, Mode: ipsecadapter.Tunnel, Source: outside[0], Destination: outside[1],
	}
	b := &espBatched{out: ipsecadapter.NewOutbound(e), by: make([]*ipsecadapter.OutboundSA, port.MaxBurst)}
	var err error
	if b.outSA, err = ipsecadapter.NewOutboundSA(e, ipsecadapter.OutboundConfig{Association: a}); err != nil {
		return nil, nil, err
	}
	if b.inSA, err = ipsecadapter.NewInboundSA(e, ipsecadapter.InboundConfig{Association: a}); err != nil {
		b.outSA.Close()
		return nil, nil, err
	}
	for i := range b.by {
		b.by[i] = b.outSA
	}
	db := ipsecadapter.NewDatabase()
	b.in = ipsecadapter.NewInbound(e, db, ipsecadapter.InboundOptions{})
	return b, &a, db.Add(b.inSA)
}

func espContenders(e *engine.Engine, transform ipsecadapter.Transform) (*contenders, error) {
	ours, a, err := newESPBatched(e, transform)
	if err != nil {
		return nil, err
	}
	c := &contenders{ours: ours, close: func() {
		ours.close()
		clear(a.Key)
	}}
	if std := newESPOneByOne(a); std != nil {
		c.std = std
	}
	return c, nil
}
