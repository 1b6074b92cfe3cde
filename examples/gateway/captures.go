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
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
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
	espCaptureFlags
	KeyLog string `name:"keylog" placeholder:"FILE" help:"Append the session's secret to this file, in the format of NSS: tshark -o tls.keylog_file:FILE decrypts OUT.pcap with it. Whoever has it can read the packets."`
}

// Run makes a tunnel of the packets in a capture.
func (c *protectCommand) Run(env *environment) error {
	if err := c.checkProtect(c.KeyLog, &c.suiteFlags); err != nil {
		return err
	}
	if c.Protocol == esp {
		return c.protect(env, &c.captureFlags)
	}
	return c.protectDTLS(env)
}

func (c *protectCommand) protectDTLS(env *environment) error {
	suites, err := c.ids(env)
	if err != nil {
		return err
	}
	client, server, err := credentials.Throwaway(suites)
	if err != nil {
		return err
	}
	if err := c.readable(); err != nil {
		return err
	}
	if c.KeyLog != "" {
		f, err := os.OpenFile(c.KeyLog, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer closeKeyLog(f)
		client.KeyLogWriter = f
	}
	err = c.convert(env, "protected", false, func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.Protect(env.ctx, offline.Session{Client: client, Server: server, Engine: e}, in, out)
	})
	if err == nil && c.KeyLog == "" {
		fmt.Fprintln(env.stderr, "gateway: warning: without -keylog the keys are gone, and nobody can open what was written")
	}
	return err
}

// closeKeyLog closes a key log, and leaves none behind to which nothing was ever written.
func closeKeyLog(f *os.File) {
	info, err := f.Stat()
	_ = f.Close() // what was written went to the system at once
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		_ = os.Remove(f.Name())
	}
}

// unprotectCommand opens a tunnelled capture.
type unprotectCommand struct {
	captureFlags
	protocolFlag
	KeyLog string `name:"keylog" placeholder:"FILE" help:"The sessions' secrets, in the format of NSS."`
	SA     string `name:"sa" placeholder:"FILE" help:"With esp: the security associations, an SA file of either gateway."`
	Legacy bool   `name:"allow-legacy" help:"With esp: ${legacy}."`
}

// Run makes the packets inside tunnels again.
func (c *unprotectCommand) Run(env *environment) error {
	switch {
	case c.Protocol == esp && (c.SA == "" || c.KeyLog != ""):
		return errors.New("unprotect -protocol esp: name the SA file with -sa, and no key log")
	case c.Protocol == esp:
		return c.unprotectESP(env)
	case c.KeyLog == "" || c.SA != "" || c.Legacy:
		return errors.New("unprotect: name the key log with -keylog, or an SA file with -protocol esp -sa")
	}
	return c.unprotectDTLS(env)
}

func (c *unprotectCommand) unprotectESP(env *environment) error {
	file, err := safile.Read(c.SA)
	if err != nil {
		return err
	}
	if err := checkLegacy(file, c.Legacy); err != nil {
		return err
	}
	return c.convert(env, "opened", c.Legacy, func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.UnprotectESP(e, file, in, out)
	})
}

func (c *unprotectCommand) unprotectDTLS(env *environment) error {
	f, err := os.Open(c.KeyLog)
	if err != nil {
		return err
	}
	defer f.Close()
	secrets, err := offline.ReadKeyLog(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.KeyLog, err)
	}
	return c.convert(env, "opened", false, func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error) {
		return offline.Unprotect(e, secrets, in, out)
	})
}

type conversion func(e *engine.Engine, in *capture.Reader, out *capture.Writer) (offline.Totals, error)

// readable refuses a file that is no capture before anything is made for it. What can be
// read once only, such as a pipe, is left alone.
func (c *captureFlags) readable() error {
	if info, err := os.Stat(c.In); c.In == "-" || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	in, err := capture.Open(c.In)
	if err != nil {
		return err
	}
	return in.Close()
}

// convert opens both captures, runs the conversion and prints its totals. Packets that were
// written before an error stay; a capture without any does not.
func (c *captureFlags) convert(env *environment, done string, legacy bool, run conversion) error {
	e, err := engine.New(engine.Config{AllowLegacy: legacy})
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
		if totals.Packets == 0 {
			err = errors.Join(err, c.discard())
		}
	}
	return errors.Join(env.print(&totals, done, c.Out == "-"), err)
}

// discard removes the capture that was to be written, where it is a file.
func (c *captureFlags) discard() error {
	if info, err := os.Lstat(c.Out); c.Out == "-" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return os.Remove(c.Out)
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
