package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/demo"
	"github.com/sealburst/sealburst/examples/gateway/internal/progress"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
	"github.com/sealburst/sealburst/ipsecadapter"
)

//go:embed testdata/traffic.pcap
var recordedTraffic []byte

// demoCommand is the demonstration.
type demoCommand struct {
	suiteFlags
	protocolFlag
	transformFlag
	metricsFlags
	Legacy bool          `name:"allow-legacy" help:"With esp: ${legacy}."`
	Time   time.Duration `default:"2s" help:"How long the capture goes round through the tunnel."`
	Rounds int           `default:"9" help:"Rounds of the comparison with the standard library."`
}

// Run shows two gateways back to back.
func (c *demoCommand) Run(env *environment) error {
	suites, err := c.ids(env)
	if err != nil {
		return err
	}
	if c.Rounds < 1 || c.Time < 0 {
		return errors.New("-rounds must be at least 1, and -time not negative")
	}
	transform, err := c.espTransform()
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{AllowLegacy: c.Legacy})
	if err != nil {
		return err
	}
	defer e.Close()
	stop, err := c.watch(vpn.NewLedger(e).Totals)
	if err != nil {
		return err
	}
	defer stop()
	var shown progress.Progress = progress.Silent{}
	if !env.json {
		shown = progress.New(env.stderr)
	}
	report, err := demo.Run(env.ctx, demo.Config{
		Engine: e, Capture: recordedTraffic, Suites: suites, ESP: transform, Crossing: c.Time, Rounds: c.Rounds, Progress: shown,
	})
	shown.Done()
	if env.json {
		return errors.Join(err, json.NewEncoder(env.stdout).Encode(&report))
	}
	if len(report.Rows) > 0 {
		report.Print(env.stdout)
	}
	return err
}

// espTransform is the transform of ESP, and zero for DTLS.
func (c *demoCommand) espTransform() (ipsecadapter.Transform, error) {
	switch {
	case c.Protocol != esp && (c.Transform != "" || c.Legacy):
		return 0, errors.New("-transform and -allow-legacy are for -protocol esp")
	case c.Protocol != esp:
		return 0, nil
	case len(c.Suite) > 0:
		return 0, errors.New("-suite is for -protocol dtls; with esp, name a transform with -transform")
	}
	transform, err := c.transform()
	if err != nil {
		return 0, err
	}
	return transform, needLegacy(transform, c.Legacy)
}
