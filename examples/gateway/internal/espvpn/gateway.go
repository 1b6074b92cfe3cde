// Package espvpn is a gateway that protects packets with ESP under keys that its operator
// makes: it carries bursts from a plain side into security associations, and back.
package espvpn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// Config is what a gateway is made of. All fields are needed but Socket.
type Config struct {
	Engine *engine.Engine
	Plain  port.Port
	Link   Link
	Socket bool // the link's datagrams are those of a UDP socket
	Peers  *Peers
	MTU    int // the longest packet inside the tunnel
	Log    *slog.Logger
	Count  *tunnel.Counters
}

// Gateway joins a plain side to a link.
type Gateway struct {
	Config
	out     *ipsecadapter.Outbound
	in      *ipsecadapter.Inbound
	sending sync.Mutex // the link takes one burst at a time
}

// New makes a gateway; Run runs it once.
func New(c Config) *Gateway {
	return &Gateway{
		Config: c, out: ipsecadapter.NewOutbound(c.Engine),
		in: ipsecadapter.NewInbound(c.Engine, c.Peers.db, ipsecadapter.InboundOptions{Socket: c.Socket}),
	}
}

// Drops are the ESP packets that were not made or not opened, by cause.
func (g *Gateway) Drops() record.Tally {
	sum := g.out.Stats().Drops
	for cause, n := range g.in.Stats().Drops {
		sum[cause] += n
	}
	return sum
}

// Bursts are the mean numbers of packets that reached the engine together.
func (g *Gateway) Bursts() (sealing, opening float64) {
	out, in := g.out.Stats(), g.in.Stats()
	return out.MeanBurst(), in.MeanBurst()
}

// Run carries packets until ctx is over, a side fails, or both sides have no more of
// them. It closes both sides.
func (g *Gateway) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	closeAll := sync.OnceValue(func() error { return errors.Join(g.Plain.Close(), g.Link.Close()) })
	stop := context.AfterFunc(ctx, func() { _ = closeAll() })
	defer stop()
	ended := make(chan error, 2)
	var loops sync.WaitGroup
	loops.Go(func() { ended <- g.end(ctx, newOutward(g).run()) })
	loops.Go(func() { ended <- g.end(ctx, newInward(g).run()) })
	loops.Go(func() { g.keepAlive(ctx) })
	err := <-ended
	if err == nil { // of one side: what the other one brings goes on
		err = <-ended
	}
	cancel()
	err = errors.Join(err, closeAll())
	loops.Wait()
	return err
}

// end says whether a loop's end is an error: a capture's is none.
func (g *Gateway) end(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil && !errors.Is(err, errNumbers): // whatever the sides say of being closed
		return nil
	case errors.Is(err, io.EOF):
		g.Log.Info("no more packets", "from", sideOf(err))
		return nil
	}
	return err
}

func sideOf(err error) string {
	if errors.Is(err, errPlain) {
		return errPlain.Error()
	}
	return errLink.Error()
}

// keepaliveEvery is what RFC 3948 section 4 proposes.
const keepaliveEvery = 20 * time.Second

// keepAlive sends keepalives to peers in UDP to which nothing else went.
func (g *Gateway) keepAlive(ctx context.Context) {
	ticker := time.NewTicker(keepaliveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			g.beat()
		}
	}
}

// beat sends one round of keepalives. One that is lost costs little: another follows.
func (g *Gateway) beat() {
	burst, to := port.NewBurst(1, g.MTU), make([]netip.AddrPort, 1)
	for _, peer := range g.Peers.all {
		if !peer.udp || peer.out == nil {
			continue
		}
		used := peer.out.Used()
		quiet := used == peer.beat
		peer.beat = used
		end := peer.endpoint.Load()
		if !quiet || g.Socket && end == nil {
			continue
		}
		if end != nil {
			to[0] = *end
		}
		if packet, err := peer.out.AppendKeepalive(nil); err == nil && port.Put(&burst[0], packet) {
			_, _ = g.send(burst, to)
		}
	}
}

func (g *Gateway) send(burst []record.Datagram, to []netip.AddrPort) (int, error) {
	g.sending.Lock()
	defer g.sending.Unlock()
	return g.Link.Send(burst, to)
}

func plainError(err error) error { return fmt.Errorf("%w: %w", errPlain, err) }
func linkError(err error) error  { return fmt.Errorf("%w: %w", errLink, err) }
