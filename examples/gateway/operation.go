package main

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// operation is what a gateway runs on.
type operation struct {
	engine *engine.Engine
	log    *slog.Logger
	ledger *vpn.Ledger
}

// operate sets a gateway's surroundings up, runs it, and prints its totals.
func (f *tunnelFlags) operate(env *environment, run func(*operation) error) error {
	e, err := engine.New(engine.Config{AllowLegacy: f.Legacy})
	if err != nil {
		return err
	}
	defer e.Close()
	o := &operation{engine: e, log: f.logger(env), ledger: vpn.NewLedger(e)}
	stop, err := f.watch(o.ledger.Totals)
	if err != nil {
		return err
	}
	defer stop()
	err = run(o)
	totals := o.ledger.Totals()
	switch {
	case err != nil && totals.Opened == 0: // it never came to anything
		return err
	case env.json:
		return errors.Join(err, json.NewEncoder(env.stdout).Encode(&totals))
	}
	totals.Print(env.stdout)
	return err
}

// logger writes structured logs to standard error, as text or as JSON.
func (f *tunnelFlags) logger(env *environment) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.Log)); err != nil {
		level = slog.LevelInfo // kong admits the names of levels alone
	}
	return slog.New(handler(env.stderr, env.json, &slog.HandlerOptions{Level: level}))
}

func handler(to io.Writer, asJSON bool, options *slog.HandlerOptions) slog.Handler {
	if asJSON {
		return slog.NewJSONHandler(to, options)
	}
	return slog.NewTextHandler(to, options)
}
