package dataplane

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// Side is one side of a gateway.
type Side struct {
	Host   *ethernet.Host
	Queues []ethernet.Queue // one for each worker
	MTU    int              // the longest IP packet that goes out
}

// Config says what a gateway is made of.
type Config struct {
	Plain, Protected Side
	Protocol         func(protected ethernet.Queue) Protocol // of one worker
	Inside           []netip.Addr                            // the gateway's own addresses inside tunnels, beside those of the plain side
	Late             *Late                                   // packets for the plain side that come from elsewhere; nil for none
	Transparent      bool                                    // hop limits stay as they are, as on a wire
	Busy             bool                                    // workers never sleep; without it they do when nothing comes
	Quiet            time.Duration                           // the gateway ends when nothing has come for so long; 0 means never
	Kernels          *steps.Kernels                          // measures the steps; nil not to

	// Thread is called on each worker's thread before it begins, and what it returns at
	// the end. It may be nil.
	Thread func(worker int) (end func(), err error)
}

// Gateway carries packets between two sides.
type Gateway struct {
	config  Config
	workers []*worker
	clocks  []*steps.Clock
	start   time.Time
	begun   time.Duration // when Run was called
}

// New makes a gateway with a worker for each queue.
func New(c Config) *Gateway {
	g := &Gateway{config: c, start: time.Now()}
	for i := range c.Plain.Queues {
		w := &worker{
			plain: newSide(&c.Plain, i, !c.Transparent), protected: newSide(&c.Protected, i, false),
			protocol: c.Protocol(c.Protected.Queues[i]), inside: newInside(c.Plain.Host, c.Inside), late: c.Late,
			transparent: c.Transparent, busy: c.Busy, asks: i == 0, start: g.start,
		}
		if c.Kernels != nil {
			w.clock = steps.NewClock()
			g.clocks = append(g.clocks, w.clock)
		}
		g.workers = append(g.workers, w)
	}
	return g
}

func newSide(s *Side, worker int, aging bool) side {
	swift, _ := s.Queues[worker].(ethernet.Swift)
	return side{queue: s.Queues[worker], swift: swift, host: s.Host, mtu: s.MTU, glance: s.Host.Glance(aging)}
}

// Run carries packets until ctx is over, nothing has come for Quiet, or a worker does not
// start.
func (g *Gateway) Run(ctx context.Context) error {
	g.begun = time.Since(g.start)
	var stop atomic.Bool
	failed := make(chan error, len(g.workers))
	var running sync.WaitGroup
	for i := range g.workers {
		running.Go(func() {
			if err := g.work(i, &stop); err != nil {
				failed <- err
			}
		})
	}
	err := g.wait(ctx, failed)
	stop.Store(true)
	running.Wait()
	return err
}

// work runs one worker on a thread of its own.
func (g *Gateway) work(i int, stop *atomic.Bool) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if g.config.Thread != nil {
		end, err := g.config.Thread(i)
		if err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		defer end()
	}
	g.workers[i].run(stop)
	return nil
}

func (g *Gateway) wait(ctx context.Context, failed <-chan error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case now := <-ticker.C:
			if g.config.Quiet != 0 && now.Sub(g.start)-max(g.latest(), g.begun) > g.config.Quiet {
				return nil
			}
		}
	}
}

// latest is when a packet came last.
func (g *Gateway) latest() (at time.Duration) {
	for _, w := range g.workers {
		at = max(at, time.Duration(w.latest.Load()))
	}
	return at
}

// Count is what went each way.
func (g *Gateway) Count() (out, in tunnel.Flow) {
	var drops [2]record.Tally
	for _, w := range g.workers {
		for i, way := range []*tunnel.Way{&w.count.Out, &w.count.In} {
			sum, flow := [...]*tunnel.Flow{&out, &in}[i], way.Flow()
			sum.Packets += flow.Packets
			sum.Bytes += flow.Bytes
			tally := way.Drops()
			for cause := range tally {
				drops[i][cause] += tally[cause]
			}
		}
	}
	out.Drops, in.Drops = drops[0].ByName(), drops[1].ByName()
	return out, in
}

// Share is what one worker carried each way, in packets.
type Share struct {
	Out uint64 `json:"out"`
	In  uint64 `json:"in"`
}

// Shares are those of the workers.
func (g *Gateway) Shares() (all []Share) {
	for _, w := range g.workers {
		all = append(all, Share{Out: w.count.Out.Flow().Packets, In: w.count.In.Flow().Packets})
	}
	return all
}

// Steps are what each step of a packet takes, if that is measured.
func (g *Gateway) Steps() []steps.Time {
	if g.config.Kernels == nil {
		return nil
	}
	return steps.Sum(g.clocks, g.config.Kernels)
}
