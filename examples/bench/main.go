// Command bench measures Sealburst beside its peers.
//
//	bench aead   seal and open: every AEAD, backend, packet size and burst
//	bench mask   header-protection masks, alone and with sealing
//	bench keys   what a packet costs as the keys grow to a million
//	bench kex    key exchanges: every group, backend and batch
//	bench gateway  the gateway on DPDK beside DPDK's own programs
//	bench pne    what QUIC's packet-number protection costs
//	bench ipsec  TCP and UDP through ESP and AH, by algorithm
//	bench model  what a connection costs: packets, handshakes, and a model of both
//
// All backends of the build and the baseline work in turns inside one process,
// on one core, timed by the processor time that they take. A ratio is the median
// over the rounds of the ratio within a round. The baseline std is the libraries'
// own call, one a packet. Whatever an engine does is compared with what the
// libraries make of the same packets.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// commands are the tables of bench.
type commands struct {
	AEAD    aeadTable    `cmd:"" name:"aead" help:"Seal and open: every AEAD, backend, packet size and burst."`
	Mask    maskTable    `cmd:"" name:"mask" help:"Header-protection masks, alone and with sealing."`
	Keys    keysTable    `cmd:"" name:"keys" help:"What a packet costs as the keys grow to a million."`
	Kex     kexTable     `cmd:"" name:"kex" help:"Key exchanges: every group, backend and batch."`
	Gateway gatewayTable `cmd:"" name:"gateway" help:"The gateway on DPDK beside DPDK's own programs: ipsec-secgw, testpmd, test-crypto-perf."`
	PNE     pneTable     `cmd:"" name:"pne" help:"What QUIC's packet-number protection costs, beside WinQuic's (QUIC working group mail of 2018-06-21)."`

	IPsec       ipsecTable  `cmd:"" name:"ipsec" help:"TCP and UDP through ESP and AH, by algorithm, beside @CHIP-RTOS's table."`
	IPsecTarget ipsecTarget `cmd:"" name:"ipsec-target" hidden:""`

	Model modelTable `cmd:"" name:"model" help:"What a connection costs: packets, handshakes, and a model of both."`
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run parses the command line and makes the table that it asks for.
func run(args []string, stdout, stderr io.Writer) error {
	var c commands
	helped := false
	parser, err := kong.New(&c, kong.Name("bench"), kong.Writers(stdout, stderr),
		kong.Description("Measures Sealburst beside its peers. Flags take one dash or two."),
		kong.Exit(func(int) { helped = true }), kong.Bind(streams{stdout, stderr}))
	if err != nil {
		return err
	}
	ctx, err := parser.Parse(twoDashes(args))
	switch {
	case helped:
		return nil
	case err != nil:
		return err
	}
	return ctx.Run()
}

// streams are where a table and remarks on it go.
type streams struct{ out, err io.Writer }

// twoDashes lets long flags have one dash, as flags of Go programs do.
func twoDashes(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a; len(a) > 2 && a[0] == '-' && a[1] != '-' && strings.Trim(a[1:2], "0123456789.") != "" {
			out[i] = "-" + a
		}
	}
	return out
}
