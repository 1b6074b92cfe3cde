// Package demo is the gateway's demonstration: two gateways back to back in one
// process, real packets through a real tunnel, every one compared at the far
// end, and the engine's cost beside the standard library's.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// Config says what the demonstration shows.
type Config struct {
	Engine   *engine.Engine
	Capture  []byte                 // a pcap or pcapng file
	Suites   []dtls.CipherSuiteID   // of DTLS that the gateways offer; nil means all
	ESP      ipsecadapter.Transform // runs ESP with that transform, instead of DTLS
	Crossing time.Duration          // how long the capture goes round; each length of the sweep takes a sixth
	Rounds   int                    // of the comparison
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
	c.Progress.Step("start", "both gateways", 0)
	p, contest, err := c.protocol().join(ctx, c.Engine, longest, &r)
	if err != nil {
		return r, fmt.Errorf("start: %w", err)
	}
	err = c.rows(ctx, p, contest, all, longest, &r)
	r.describe(c.Engine, p)
	err = errors.Join(err, p.close())
	if err == nil && !r.Good() {
		err = ErrDiffers
	}
	return r, err
}

// protocol joins two gateways.
type protocol interface {
	// join starts both, says in the report what protects their packets, and how to
	// compare that with the standard library.
	join(ctx context.Context, e *engine.Engine, longest int, r *Report) (*pair, contest, error)
}

func (c *Config) protocol() protocol {
	if c.ESP != 0 {
		return &overESP{c.ESP}
	}
	return &overDTLS{c.Suites}
}

// rows sends each traffic across and measures it, one row each.
func (c *Config) rows(ctx context.Context, p *pair, made contest, all []traffic, longest int, r *Report) error {
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
		costs, err := compare(made, t, c.Rounds)
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
