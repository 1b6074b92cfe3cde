package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/metrics"
	"github.com/sealburst/sealburst/examples/gateway/internal/plain"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
	"github.com/sealburst/sealburst/ipsecadapter"
)

const description = `A VPN gateway on the Sealburst engine: IP packets in bursts through DTLS 1.2 or ESP.

Without a command it shows two gateways back to back in memory. Long flags take one dash or two.`

// commands are what the gateway can be told.
type commands struct {
	JSON    bool             `name:"json" help:"Print results for machines, as JSON; logs too."`
	Version kong.VersionFlag `name:"version" help:"Print which version this is."`

	Demo      demoCommand      `cmd:"" default:"withargs" help:"Show two gateways back to back (the default)."`
	Serve     serveCommand     `cmd:"" help:"Serve a VPN to many clients."`
	Connect   connectCommand   `cmd:"" help:"Connect to a serving gateway."`
	DPDK      dpdkCommand      `cmd:"" name:"dpdk" help:"Carry packets between two Ethernet devices of DPDK."`
	Protect   protectCommand   `cmd:"" help:"Turn a capture of plain packets into one of a tunnel."`
	Unprotect unprotectCommand `cmd:"" help:"Turn a capture of tunnels into one of the packets inside."`
	Keygen    keygenCommand    `cmd:"" help:"Make certificates, pre-shared keys or SA files for gateways."`
	SA        saCommand        `cmd:"" name:"sa" help:"Show what an SA file holds, or print it for Wireshark."`
	Doctor    doctorCommand    `cmd:"" help:"Say what this machine offers a gateway, and what is missing."`
}

// credentialFlags name a gateway's credentials.
type credentialFlags struct {
	Cert string `placeholder:"FILE" help:"This gateway's certificate, PEM."`
	Key  string `placeholder:"FILE" help:"The certificate's key, PEM."`
	CA   string `name:"ca" placeholder:"FILE" help:"The authority that signs the other side's certificates, PEM."`
	PSK  string `name:"psk" placeholder:"FILE" help:"Pre-shared keys instead of certificates: IDENTITY:HEX a line."`
}

// metricsFlags say where a running gateway can be watched.
type metricsFlags struct {
	Metrics string `placeholder:"ADDR" help:"Serve Prometheus metrics at ADDR/metrics, and profiles at ADDR/debug/pprof/."`
}

// watch serves a gateway's totals, if an address was given for that. Stop ends it.
func (f *metricsFlags) watch(totals func() vpn.Totals) (stop func(), err error) {
	if f.Metrics == "" {
		return func() {}, nil
	}
	served, err := metrics.Serve(f.Metrics, totals)
	if err != nil {
		return nil, err
	}
	return func() { _ = served.Close() }, nil
}

// suiteFlags name cipher suites.
type suiteFlags struct {
	Suite []string `placeholder:"NAME" help:"Offer these cipher suites only, by IANA's names: ${suites}."`
}

func helpVariables() kong.Vars {
	var names []string
	for _, id := range dtlsadapter.Suites() {
		names = append(names, dtlsadapter.SuiteName(id))
	}
	var transforms []string
	for _, t := range ipsecadapter.Transforms() {
		transforms = append(transforms, t.String())
	}
	return kong.Vars{"version": version(), "suites": strings.Join(names, ", "), "plain": plain.Syntax, "transforms": strings.Join(transforms, ", "),
		"legacy": "allow transforms that are there for old equipment: NULL, DES, 3DES and Blowfish, HMAC-MD5 and HMAC-SHA-1"}
}

var singleDash = regexp.MustCompile(`^-[a-zA-Z][a-zA-Z-]+(=.*)?$`)

// normalise lets long flags begin with one dash as well as with two. What follows
// -- is left alone.
func normalise(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if singleDash.MatchString(arg) {
			arg = "-" + arg
		}
		out[i] = arg
	}
	return out
}

// oneLine is an error's text without line ends: errors.Join makes them.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

// ids are the suites named; nil means all.
func (s *suiteFlags) ids(env *environment) ([]dtls.CipherSuiteID, error) {
	ids, err := credentials.Suites(s.Suite)
	if err != nil {
		return nil, fmt.Errorf("%w; see gateway %s -help", err, env.command)
	}
	return ids, nil
}
