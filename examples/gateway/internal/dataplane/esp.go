package dataplane

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// ErrNoWay says that an SA's packets would not find their way.
var ErrNoWay = errors.New("no way to the peer")

// ErrUsedUp says that an SA has no number left that no packet had.
var ErrUsedUp = errors.New("its sequence numbers are used up: it needs a new key")

// ESP is the security associations of a gateway, whose workers share it.
type ESP struct {
	out    *ipsecadapter.Outbound
	in     *ipsecadapter.Inbound
	db     *ipsecadapter.Database
	routes *prefixes[espRoute]
	all    []*espRoute
	store  *promises
}

// espRoute is how packets to one peer are protected.
type espRoute struct {
	sa  *ipsecadapter.OutboundSA
	hop *ethernet.Neighbour
	promise
}

// ESPConfig says what an ESP gateway is made of.
type ESPConfig struct {
	Engine *engine.Engine
	File   *safile.File
	Store  *seqstore.Store // of the sequence numbers that were used and accepted
	Host   *ethernet.Host  // on the protected side
	MTU    int             // of the protected side
}

// NewESP makes the SAs of a file. The caller closes it.
func NewESP(c ESPConfig) (*ESP, error) {
	p := &ESP{
		db: ipsecadapter.NewDatabase(), out: ipsecadapter.NewOutbound(c.Engine), store: newPromises(c.Store),
	}
	p.in = ipsecadapter.NewInbound(c.Engine, p.db, ipsecadapter.InboundOptions{})
	var behind []netip.Prefix
	var routes []*espRoute
	for i := range c.File.SAs {
		s := &c.File.SAs[i]
		route, err := p.add(&c, s)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("SA %#x: %w", s.SPI, err), p.Close())
		}
		for _, network := range s.Behind {
			if route != nil {
				behind, routes = append(behind, network), append(routes, route)
			}
		}
	}
	p.routes = newPrefixes(behind, routes)
	if err := p.store.start(p.all); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// add makes one SA, and the route of one to send through.
func (p *ESP) add(c *ESPConfig, s *safile.SA) (*espRoute, error) {
	if !s.Out {
		return nil, p.addInbound(c, s)
	}
	config := s.Outbound(false)
	if config.First, config.Used = c.Store.Count(s.SPI, config.First); config.First > s.LastNumber() {
		return nil, ErrUsedUp
	}
	config.PathMTU = c.MTU
	hop := c.Host.Hop(s.To.Addr())
	if hop == nil {
		return nil, fmt.Errorf("%w: %v is on none of the protected side's networks, and there is no gateway", ErrNoWay, s.To.Addr())
	}
	sa, err := ipsecadapter.NewOutboundSA(c.Engine, config)
	if err != nil {
		return nil, err
	}
	route := &espRoute{sa: sa, hop: hop, promise: promise{first: config.First}}
	p.all = append(p.all, route)
	return route, nil
}

func (p *ESP) addInbound(c *ESPConfig, s *safile.SA) error {
	config := s.Inbound(false)
	mark, err := c.Store.Mark(s.SPI)
	if err != nil {
		return err
	}
	if config.First, config.Highest = mark.Follow(config.First); config.First > s.LastNumber() {
		return ErrUsedUp
	}
	sa, err := ipsecadapter.NewInboundSA(c.Engine, config)
	if err != nil {
		return err
	}
	p.store.sources = append(p.store.sources, &received{sa: sa, mark: mark, highest: config.First - 1})
	return p.db.Add(sa)
}

// Close closes the SAs and writes down which numbers they have used and accepted.
func (p *ESP) Close() error {
	for _, source := range p.store.sources {
		source.sa.Close()
	}
	for _, route := range p.all {
		route.sa.Close()
	}
	return p.store.close(p.all)
}

// Drops are the packets that were not sealed or not opened, by cause. Those are counted
// at the sides too.
func (p *ESP) Drops() record.Tally {
	sum := p.out.Stats().Drops
	for cause, n := range p.in.Stats().Drops {
		sum[cause] += n
	}
	return sum
}

// Peers is how many SAs there are to send through.
func (p *ESP) Peers() int { return len(p.all) }

// Worker is the SAs as one worker has them.
func (p *ESP) Worker(ethernet.Queue) Protocol { return &espWorker{ESP: p} }

type espWorker struct {
	*ESP
	last  address // that was looked up, and what was found
	route *espRoute
	all   *ipsecadapter.OutboundSA // the SA of all packets of a burst, or nil when each has its own
	by    [ethernet.MaxBurst]*ipsecadapter.OutboundSA
}

// Route finds the SA of each packet. One whose numbers are not promised is dropped.
func (w *espWorker) Route(b *ethernet.Burst, hops *Hops, one bool) (hop *ethernet.Neighbour) {
	if w.all = nil; one {
		var drop record.Drop
		if w.all, hop, drop = w.find(destination(b.Frames[0].Content())); drop == record.DropNone {
			return hop
		}
	}
	w.routeEach(b, hops)
	return nil
}

func (w *espWorker) routeEach(b *ethernet.Burst, hops *Hops) {
	var sa *ipsecadapter.OutboundSA
	var hop *ethernet.Neighbour
	drop, fresh := record.DropNone, true
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		if d.Drop != record.DropNone {
			continue
		}
		if to := destination(d.Content()); to != w.last || fresh {
			sa, hop, drop = w.find(to)
			fresh = false
		}
		if d.Drop = drop; drop == record.DropNone {
			w.by[i], hops[i] = sa, hop
		}
	}
}

// find looks up the route of a destination, unless it is the last one's, and whether a
// burst more may be numbered.
func (w *espWorker) find(to address) (*ipsecadapter.OutboundSA, *ethernet.Neighbour, record.Drop) {
	if to != w.last || w.route == nil {
		w.last, w.route = to, w.routes.find(to)
	}
	switch {
	case w.route == nil:
		return nil, nil, record.DropUnknownSession
	case !w.store.covers(w.route):
		return nil, nil, record.DropLimit
	}
	return w.route.sa, w.route.hop, record.DropNone
}

// Seal makes ESP packets.
func (w *espWorker) Seal(b *ethernet.Burst) int {
	if w.all != nil {
		return w.out.ProtectUnder(b.Frames[:b.N], w.all)
	}
	return w.out.Protect(b.Frames[:b.N], w.by[:b.N])
}

// InnerMTU is what the SA says.
func (w *espWorker) InnerMTU(i int) int {
	sa := w.all
	if sa == nil {
		sa = w.by[i]
	}
	return sa.InnerMTU(sa.PathMTU())
}

// Open opens ESP packets.
func (w *espWorker) Open(b, _ *ethernet.Burst) { w.in.Unprotect(b.Frames[:b.N], nil) }

// Tend has nothing to do.
func (w *espWorker) Tend(*ethernet.Burst, *Hops, ethernet.Queue) {}
