// Quicping completes a QUIC handshake with a server, sends PING frames, and shows how long
// they take to be acknowledged. It needs no QUIC stack: its packets are protected by
// Sealburst's quicadapter, and what little else a client needs is in internal/probe.
//
//	quicping example.org
//	quicping -v2 -count 10 -update localhost:4433
//
// It exits with 0 when every ping was answered, 1 when not, and 2 when it was called wrongly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/quicping/internal/probe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if err := ping(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "quicping: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func ping(ctx context.Context, o *options, stdout io.Writer) (err error) {
	cfg, closeLog, err := o.config()
	if err != nil {
		return err
	}
	defer func() {
		if closed := closeLog(); err == nil {
			err = closed
		}
	}()
	if cfg.Engine, err = engine.New(engine.Config{}); err != nil {
		return err
	}
	defer cfg.Engine.Close()
	if o.json {
		result, err := probe.Run(ctx, *cfg)
		return writeJSON(stdout, o, result, err)
	}
	p := printer{w: stdout, verified: !o.insecure, v2: o.v2}
	cfg.Ready, cfg.Reply = p.session, p.reply
	result, err := probe.Run(ctx, *cfg)
	p.summary(result)
	return err
}
