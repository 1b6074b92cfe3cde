package main

import (
	"encoding/json"
	"fmt"

	"github.com/sealburst/sealburst/examples/gateway/internal/dataplane"
	"github.com/sealburst/sealburst/examples/gateway/internal/metrics"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// serveMetrics serves the totals and the steps, if an address was given for that.
func (c *dpdkCommand) serveMetrics(totals func() vpn.Totals, times func() []steps.Time) (stop func(), err error) {
	if c.Metrics == "" {
		return func() {}, nil
	}
	served, err := metrics.Serve(c.Metrics, totals, metrics.Steps(times))
	if err != nil {
		return nil, err
	}
	return func() { _ = served.Close() }, nil
}

// dpdkTotals are a gateway's totals with what its devices say.
type dpdkTotals struct {
	vpn.Totals
	Devices map[string]dpdk.Losses `json:"device_losses"`
	Workers []dataplane.Share      `json:"workers"`
	Steps   []steps.Time           `json:"steps,omitempty"`
}

func (c *dpdkCommand) print(env *environment, all *dpdkTotals) error {
	if env.json {
		return json.NewEncoder(env.stdout).Encode(all)
	}
	all.Print(env.stdout)
	for i, s := range all.Workers {
		if len(all.Workers) > 1 {
			fmt.Fprintf(env.stdout, "worker %d: %d packets out, %d in\n", i, s.Out, s.In)
		}
	}
	for name, l := range all.Devices {
		if l != (dpdk.Losses{}) {
			fmt.Fprintf(env.stdout, "%s lost: %d for want of room, %d for want of buffers, %d receiving, %d sending\n", name, l.Missed, l.NoBuffer, l.Receive, l.Send)
		}
	}
	steps.Print(env.stdout, all.Steps)
	return nil
}
