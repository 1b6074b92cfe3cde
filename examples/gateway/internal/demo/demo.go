// Package demo is the gateway's demonstration: two gateways back to back in one
// process, real packets through a real DTLS session, every one compared at the far
// end, and the engine's cost beside the standard library's.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
)

// Config says what the demonstration shows.
type Config struct {
	Engine   *engine.Engine
	Capture  []byte               // a pcap or pcapng file
	Suites   []dtls.CipherSuiteID // what the gateways offer; nil means all
	Crossing time.Duration        // how long the capture goes round; each length of the sweep takes a sixth
	Rounds   int                  // of the comparison
	Progress Progress
}

// Progress is told the stage, what is being done in it, and which part of all is over.
type Progress interface {
	Step(stage, doing string, part float64)
}

// ErrDiffers says that a packet came out of the tunnel as another, or not at all.
var ErrDiffers = errors.New("not every packet came out as it went in")

// Run gives the demonstration. The report holds what was measured up to an error;
// packets that differ or are missing are one.
func Run(ctx context.Context, c Config) (Report, error) {
	var r Report
	recorded, err := fromCapture(c.Capture)
	if err != nil {
		return r, err
	}
	all := append([]traffic{recorded}, sweep()...)
	longest := 0
	for i := range all {
		longest = max(longest, all[i].longest())
	}
	c.Progress.Step("handshake", "both gateways", 0)
	p, err := c.handshake(ctx, longest, &r)
	if err != nil {
		return r, fmt.Errorf("handshake: %w", err)
	}
	err = c.rows(ctx, p, all, longest, &r)
	r.describe(c.Engine, p)
	err = errors.Join(err, p.close())
	if err == nil && !r.Good() {
		err = ErrDiffers
	}
	return r, err
}

func (c *Config) handshake(ctx context.Context, longest int, r *Report) (*pair, error) {
	client, server, err := credentials.Throwaway(c.Suites)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	p, err := newPair(ctx, c.Engine, client, server, longest)
	if err != nil {
		return nil, err
	}
	r.Handshake = float64(time.Since(begin)) / float64(time.Millisecond)
	r.Suite = dtlsadapter.SuiteName(p.client.Suite())
	return p, nil
}

// rows sends each traffic across and measures it, one row each.
func (c *Config) rows(ctx context.Context, p *pair, all []traffic, longest int, r *Report) error {
	crossing := newCrossing(p.a, p.b, longest)
	defer func() { r.Verdict = crossing.verdict }()
	for i := range all {
		t := &all[i]
		part := func(within float64) float64 { return (float64(i) + within) / float64(len(all)) }
		c.Progress.Step(t.name, "through the tunnel", part(0))
		before, spent := crossing.verdict, c.Crossing
		if i > 0 {
			spent /= 6
		}
		took, err := crossing.repeat(ctx, t.packets, spent, func(done float64) {
			c.Progress.Step(t.name, "through the tunnel", part(done/2))
		})
		if err != nil {
			return err
		}
		c.Progress.Step(t.name, "beside the standard library", part(0.5))
		costs, err := compare(c.Engine, p.client.Suite(), t, c.Rounds)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, newRow(t, crossing.verdict.Sent-before.Sent, took, costs))
		c.Progress.Step(t.name, "done", part(1))
	}
	return nil
}

func newRow(t *traffic, sent uint64, took time.Duration, costs Comparison) Row {
	bytes := sent / uint64(len(t.packets)) * t.bytes()
	return Row{
		Traffic: t.name, Packets: sent, Bytes: bytes, Seconds: took.Seconds(),
		Mpps: float64(sent) / took.Seconds() / 1e6, Gbps: float64(bytes) * 8 / took.Seconds() / 1e9, Comparison: costs,
	}
}
