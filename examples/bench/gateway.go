package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// gatewayTable is bench gateway: the gateway on DPDK beside DPDK's own programs on the
// same kind of device.
type gatewayTable struct {
	JSON    bool          `name:"json" help:"Print one JSON object a line."`
	Quick   bool          `help:"One short round, of the shortest and the longest packets, of what goes out, with the older form of ipsec-secgw alone: less than 30 seconds."`
	Rounds  int           `help:"Rounds a cell, of which the median counts; 0 means 5, and 1 with -quick."`
	Time    time.Duration `help:"How long a program is measured in a round, in processor time where it can be asked; 0 means 3s, and 300ms with -quick."`
	Gateway string        `placeholder:"PATH" help:"The gateway's program, built with -tags dpdk; built for the purpose unless given."`
	Secgw   string        `placeholder:"PATH" env:"SEALBURST_SECGW" help:"DPDK's ipsec-secgw, which examples/gateway/testdata/secgw.sh builds; left out unless given."`
}

// The IP packets' lengths in bytes.
var gatewaySizes = []int{64, 256, 1400}

// Run makes the table. Every program runs on one core; what counts is the processor time
// that it takes for a packet beyond its start, so that what else the machine does
// matters little. Programs take turns within a round.
func (t *gatewayTable) Run(s streams) error {
	dir, err := os.MkdirTemp("", "bench-gateway")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // of files for a moment
	if err := t.settle(dir); err != nil {
		return err
	}
	printer := newGatewayPrinter(s.out, t.JSON)
	for _, size := range t.sizes() {
		g, err := newGatewayCell(dir, size)
		if err != nil {
			return err
		}
		if err := g.verify(t.Gateway); err != nil {
			return err
		}
		rows, err := t.measure(s, g)
		if err != nil {
			return err
		}
		if err := printer.print(rows); err != nil {
			return err
		}
	}
	return printer.close()
}

func (t *gatewayTable) sizes() []int {
	if t.Quick {
		return []int{gatewaySizes[0], gatewaySizes[len(gatewaySizes)-1]}
	}
	return gatewaySizes
}

// settle finds the programs and fills in what the flags leave open.
func (t *gatewayTable) settle(dir string) error {
	if t.Rounds == 0 {
		t.Rounds = 5
		if t.Quick {
			t.Rounds = 1
		}
	}
	if t.Time == 0 {
		t.Time = 3 * time.Second
		if t.Quick {
			t.Time = 300 * time.Millisecond
		}
	}
	if t.Gateway != "" {
		return nil
	}
	t.Gateway = filepath.Join(dir, "gateway")
	build := exec.Command("go", "build", "-tags", "dpdk", "-o", t.Gateway, "github.com/sealburst/sealburst/examples/gateway")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the gateway does not build with DPDK (packages dpdk libdpdk-dev dpdk-dev): %w: %s", err, out)
	}
	return nil
}

// errNotHere says that a program is not installed.
var errNotHere = errors.New("not here")

// gatewayRow is a line of the table.
type gatewayRow struct {
	Bytes   int     `json:"bytes"` // of an IP packet
	Program string  `json:"program"`
	NS      float64 `json:"ns_packet"` // processor time
	Mpps    float64 `json:"mpps"`      // million packets a second of one core
	Gbps    float64 `json:"gbps"`      // of IP packets
	Ratio   float64 `json:"ratio,omitempty"`
	To      string  `json:"ratio_to,omitempty"` // the program that Ratio compares the rate with
}

// measure lets the programs of a cell take turns.
func (t *gatewayTable) measure(s streams, g *gatewayCell) (rows []gatewayRow, err error) {
	programs := g.programs(t)
	costs := make([][]float64, len(programs))
	for range t.Rounds {
		round, err := t.round(s, programs)
		if err != nil {
			return nil, err
		}
		for i, cost := range round {
			costs[i] = append(costs[i], cost)
		}
	}
	for i, p := range programs {
		if ns := median(costs[i]); ns > 0 {
			rows = append(rows, gatewayRow{Bytes: g.size, Program: p.name, NS: ns, Mpps: 1e3 / ns, Gbps: 8 * float64(g.size) / ns})
		}
	}
	compareGateway(rows, programs, costs)
	return rows, nil
}

// round measures each program once. What takes no more than a part of its work alone was
// measured wrongly, or that part was: both are measured again.
func (t *gatewayTable) round(s streams, programs []gatewayProgram) ([]float64, error) {
	costs := make([]float64, len(programs))
	again := slices.Repeat([]bool{true}, len(programs))
	for range plausibleTries {
		for i := range programs {
			if !again[i] {
				continue
			}
			cost, err := t.one(s, &programs[i])
			if err != nil {
				return nil, err
			}
			costs[i] = cost
		}
		if again = implausible(programs, costs); !slices.Contains(again, true) {
			return costs, nil
		}
	}
	return nil, fmt.Errorf("%w: %.1f ns, in the order of the table", errImplausible, costs)
}

const plausibleTries = 4

var errImplausible = errors.New("a program takes less than a part of its work")

// one measures a program, of which 0 says that it is not here.
func (t *gatewayTable) one(s streams, p *gatewayProgram) (cost float64, err error) {
	cost, err = p.run(t.Time)
	switch {
	case errors.Is(err, errNotHere):
		fmt.Fprintf(s.err, "bench: %s is left out: %v\n", p.name, err)
		p.run = func(time.Duration) (float64, error) { return 0, nil }
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return cost, nil
}

// implausible says which figures of a round cannot be: those of programs that take no more
// than a part of their work does, and of that part.
func implausible(programs []gatewayProgram, costs []float64) (which []bool) {
	which = make([]bool, len(programs))
	for i, p := range programs {
		part := slices.IndexFunc(programs, func(q gatewayProgram) bool { return q.name == p.part })
		if part >= 0 && costs[i] > 0 && costs[i] <= costs[part] {
			which[i], which[part] = true, true
		}
	}
	return which
}

// compareGateway gives the gateway's row its ratio to the fastest form of ipsec-secgw,
// the median of the rounds' ratios.
func compareGateway(rows []gatewayRow, programs []gatewayProgram, costs [][]float64) {
	best := 0
	for i := range programs {
		if programs[i].peer && median(costs[i]) > 0 && (best == 0 || median(costs[i]) < median(costs[best])) {
			best = i
		}
	}
	if best == 0 {
		return
	}
	var ratios []float64
	for round, ours := range costs[0] {
		ratios = append(ratios, costs[best][round]/ours)
	}
	rows[0].Ratio, rows[0].To = median(ratios), programs[best].name
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
