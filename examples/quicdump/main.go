// Quicdump reads a capture and a TLS key log, and prints every QUIC packet decrypted: its
// number, its key phase, and its frames by name. Packets are opened by Sealburst's
// quicadapter as a listener would, so key updates are followed.
//
//	quicdump -keylog keys.txt capture.pcap
//
// Without a key log, Initial packets are still readable by anyone. A connection is known
// by its addresses and ports, from its first Initial on; migration is not followed. It
// exits with 0 when every packet was opened, 1 when not, and 2 when it was called wrongly.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/sealburst/sealburst/engine"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func run(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("quicdump", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: quicdump [flags] capture.pcap")
		f.PrintDefaults()
	}
	keylog := f.String("keylog", "", "take the TLS secrets from this `file` (SSLKEYLOGFILE)")
	asJSON := f.Bool("json", false, "print one JSON object a packet")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if f.NArg() != 1 {
		f.Usage()
		return exitUsage
	}
	if err := dumpFile(f.Arg(0), *keylog, *asJSON, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "quicdump: %v\n", err)
		return exitFailed
	}
	return exitOK
}

var errNotOpened = errors.New("packets could not be opened")

func dumpFile(capture, keylog string, asJSON bool, stdout, stderr io.Writer) error {
	secrets, err := readKeyLog(keylog)
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{})
	if err != nil {
		return err
	}
	defer e.Close()
	d := newDump(e, secrets)
	if err := eachDatagram(capture, d.datagram); err != nil {
		return err
	}
	d.giveUp()
	for _, err := range d.refused {
		fmt.Fprintf(stderr, "quicdump: %v\n", err)
	}
	if len(d.packets) == 0 {
		fmt.Fprintf(stderr, "quicdump: %s: no QUIC in this capture\n", capture)
	}
	if err := write(stdout, d.packets, asJSON); err != nil {
		return err
	}
	if d.failed > 0 {
		return fmt.Errorf("%d of %d %w", d.failed, len(d.packets), errNotOpened)
	}
	return nil
}

func write(w io.Writer, packets []*packet, asJSON bool) error {
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	for _, p := range packets {
		if asJSON {
			if err := encoder.Encode(p); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(buffered, p)
	}
	return buffered.Flush()
}
