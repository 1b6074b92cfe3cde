package espvpn

import (
	"fmt"
	"math"
	"net/netip"
	"sync/atomic"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// Peer is another gateway: the SAs with it, and where it is.
type Peer struct {
	name     string
	out      *ipsecadapter.OutboundSA // nil if nothing is sent to it
	inbound  []*ipsecadapter.InboundSA
	udp      bool                           // ESP in UDP: the peer may be behind a NAT
	fixed    bool                           // the operator said where it is
	endpoint atomic.Pointer[netip.AddrPort] // in a socket; nil as long as nobody knows

	first   uint64 // sequence number of out
	numbers seqstore.Supply
	beat    uint64 // how many numbers were used at the last keepalive
}

// source is an SA to receive through: whose packets come, and how far they have come.
type source struct {
	peer *Peer
	mark *seqstore.Mark
}

// Peers are the gateways that an SA file names. Close closes their SAs.
type Peers struct {
	all    []*Peer
	byName map[string]*Peer
	behind map[*ipsecadapter.InboundSA]*source
	routes routes
	db     *ipsecadapter.Database
	store  *seqstore.Store
}

// Options say how SAs are opened.
type Options struct {
	// Socket says that ESP travels in the datagrams of a UDP socket.
	Socket bool
	// Peer is where the only peer is, in a socket, if the file does not say it.
	Peer netip.AddrPort
	// Store keeps the sequence numbers of the SAs.
	Store *seqstore.Store
}

// Open makes the SAs of a file. It fails with ipsecadapter's errors for a value that an
// SA cannot have, and names the SA.
func Open(e *engine.Engine, file *safile.File, o Options) (*Peers, error) {
	p := &Peers{
		byName: map[string]*Peer{}, behind: map[*ipsecadapter.InboundSA]*source{},
		db: ipsecadapter.NewDatabase(), store: o.Store,
	}
	for i := range file.SAs {
		s := &file.SAs[i]
		if err := p.add(e, s, &o); err != nil {
			p.Close()
			return nil, fmt.Errorf("SA %#x: %w", s.SPI, err)
		}
	}
	if o.Peer.IsValid() {
		if err := p.place(o.Peer); err != nil {
			p.Close()
			return nil, err
		}
	}
	p.routes.sort()
	return p, nil
}

func (p *Peers) add(e *engine.Engine, s *safile.SA, o *Options) error {
	if o.Socket && !s.UDP {
		return fmt.Errorf("%w: a UDP socket carries SAs with encap=udp", errMisfit)
	}
	peer := p.of(s.Peer)
	peer.udp = s.UDP
	if s.Out {
		return p.addOut(e, peer, s, o)
	}
	return p.addIn(e, peer, s, o)
}

// of finds a peer, or makes it.
func (p *Peers) of(name string) *Peer {
	peer := p.byName[name]
	if peer == nil {
		peer = &Peer{name: name}
		p.byName[name] = peer
		p.all = append(p.all, peer)
	}
	return peer
}

func (p *Peers) addOut(e *engine.Engine, peer *Peer, s *safile.SA, o *Options) error {
	if peer.out != nil {
		return fmt.Errorf("%w: peer %s has another SA to send through", errMisfit, peer.name)
	}
	c := s.Outbound(o.Socket)
	c.First = max(c.First, p.store.Next(s.SPI))
	if c.First > s.LastNumber() {
		return ErrUsedUp
	}
	sa, err := ipsecadapter.NewOutboundSA(e, c)
	if err != nil {
		return err
	}
	peer.out, peer.first, peer.numbers = sa, c.First, p.store.Supply(s.SPI, c.First)
	for _, network := range s.Behind {
		p.routes.add(network, peer)
	}
	if o.Socket && s.To.Addr().IsValid() {
		peer.put(withPort(s.To), true)
	}
	return nil
}

func withPort(end netip.AddrPort) netip.AddrPort {
	if end.Port() == 0 {
		return netip.AddrPortFrom(end.Addr(), ipsecadapter.NATTPort)
	}
	return end
}

func (p *Peers) addIn(e *engine.Engine, peer *Peer, s *safile.SA, o *Options) error {
	c := s.Inbound(o.Socket)
	mark, err := p.store.Mark(s.SPI)
	if err != nil {
		return err
	}
	c.First = max(c.First, mark.Lowest())
	if c.First > s.LastNumber() {
		return ErrUsedUp
	}
	sa, err := ipsecadapter.NewInboundSA(e, c)
	if err != nil {
		return err
	}
	peer.inbound = append(peer.inbound, sa)
	p.behind[sa] = &source{peer, mark}
	return p.db.Add(sa)
}

// place says where the only peer is.
func (p *Peers) place(end netip.AddrPort) error {
	if len(p.all) != 1 {
		return fmt.Errorf("%w: the file has %d peers, and one was named", errMisfit, len(p.all))
	}
	p.all[0].put(end, true)
	return nil
}

// put says where a peer is. What the operator said stays.
func (p *Peer) put(end netip.AddrPort, fixed bool) {
	p.endpoint.Store(&end)
	p.fixed = p.fixed || fixed
}

// Len is how many peers there are.
func (p *Peers) Len() int { return len(p.all) }

// Close closes the SAs and writes down which numbers they have used.
func (p *Peers) Close() error {
	next := map[uint32]uint64{}
	for _, peer := range p.all {
		for _, sa := range peer.inbound {
			sa.Close()
		}
		if peer.out != nil {
			peer.out.Close()
			if used := peer.out.Used(); used > 0 {
				next[peer.out.SPI()] = peer.first + min(used, math.MaxUint64-peer.first)
			}
		}
	}
	if len(next) == 0 {
		return nil
	}
	return p.store.Settle(next)
}
