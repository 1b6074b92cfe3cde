package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/offline"
)

// captureFlags name the two captures.
type captureFlags struct {
	In  string `arg:"" name:"IN.pcap" help:"The capture to read, pcap or pcapng; - is standard input."`
	Out string `arg:"" name:"OUT.pcap" help:"The capture to write, pcap; - is standard output."`
}

// protectCommand tunnels a capture.
type protectCommand struct {
	captureFlags
	suiteFlags
	KeyLog string `name:"keylog" placeholder:"FILE" help:"Append the session's secret to this file, in the format of NSS: tshark -o tls.keylog_file:FILE decrypts OUT.pcap with it. Whoever has it can read the packets."`
}

// Run makes a DTLS tunnel of the packets in a capture.
func (c *protectCommand) Run(env *environment) error {
	suites, err := c.ids(env)
	if err != nil {
		return err
	}
	client, server, err := credentials.Throwaway(suites)
	if err != nil {
		return err
	}
	if c.KeyLog != "" {
		f, err := os.OpenFile(c.KeyLog, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		client.KeyLogWriter = f
	}
	return c.convert(env, "protected", func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.Protect(env.ctx, offline.Session{Client: client, Server: server, Engine: e}, in, out)
	})
}

// unprotectCommand opens a tunnelled capture.
type unprotectCommand struct {
	captureFlags
	KeyLog string `name:"keylog" required:"" placeholder:"FILE" help:"The sessions' secrets, in the format of NSS."`
}

// Run makes the packets inside DTLS tunnels again.
func (c *unprotectCommand) Run(env *environment) error {
	f, err := os.Open(c.KeyLog)
	if err != nil {
		return err
	}
	defer f.Close()
	secrets, err := offline.ReadKeyLog(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.KeyLog, err)
	}
	return c.convert(env, "opened", func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.Unprotect(e, secrets, in, out)
	})
}

type conversion func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error)

// convert opens both captures, runs the conversion and prints its totals. What was
// written before an error stays.
func (c *captureFlags) convert(env *environment, done string, run conversion) error {
	e, err := engine.New(engine.Config{})
	if err != nil {
		return err
	}
	defer e.Close()
	in, err := capture.Open(c.In)
	if err != nil {
		return err
	}
	defer in.Close()
	if same(c.In, c.Out) {
		return fmt.Errorf("%s is both the capture to read and the one to write", c.In)
	}
	out, err := capture.Create(c.Out, roomy(in.Format()))
	if err != nil {
		return err
	}
	totals, err := run(e, in, out)
	if failed := out.Close(); failed != nil { // with what any write before failed with, too
		return failed
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", c.In, err)
	}
	return errors.Join(env.print(&totals, done, c.Out == "-"), err)
}

// leastSnap is what a capture declares at least: records, which are longer than
// their packets, fit.
const leastSnap = 1 << 15

// roomy is the format of the capture to write: that of the one read, with room.
func roomy(f capture.Format) capture.Format {
	if f.Snap < leastSnap {
		f.Snap = capture.MaxSnap
	}
	return f
}

// print writes totals to standard output, or to standard error when a capture goes
// to the former.
func (env *environment) print(t *offline.Totals, done string, taken bool) error {
	to := env.stdout
	if taken {
		to = env.stderr
	}
	if env.json {
		return json.NewEncoder(to).Encode(t)
	}
	t.Print(to, done)
	return nil
}

// same reports whether two paths are one file.
func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
