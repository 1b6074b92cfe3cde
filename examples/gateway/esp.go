package main

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/ipsecadapter"
)

const esp = "esp" // the protocol's name on the command line

// protocolFlag says what protects packets.
type protocolFlag struct {
	Protocol string `enum:"dtls,esp" default:"dtls" help:"What protects the packets: dtls, or esp under keys made by hand (default ${default})."`
}

// espFlags are what a gateway that runs ESP has beside its plain side.
type espFlags struct {
	protocolFlag
	SA             string         `name:"sa" placeholder:"FILE" help:"With esp: the security associations, an SA file as gateway keygen -sa makes."`
	SALine         []string       `name:"sa-line" sep:"none" placeholder:"LINE" help:"With esp: one line more of the SA file; may be repeated. Others on this machine can see it."`
	SAState        string         `name:"sa-state" placeholder:"FILE" help:"With esp: where the sequence numbers that were used and accepted are kept (default FILE.next beside the SA file)."`
	Legacy         bool           `name:"allow-legacy" help:"With esp: ${legacy}."`
	Protected      string         `default:"udp" placeholder:"PORT" help:"With esp: the protected side: udp, a socket for ESP in UDP; ip:ADDR, the system's own ESP in IPv4 at that address; or one of ${plain} whose packets are ESP in IP (default ${default})."`
	ProtectedRoute []netip.Prefix `placeholder:"NET" help:"With esp: route this network into the TUN device of the protected side, such as the gateway's own address; may be repeated."`
}

// check refuses flags of the other protocol.
func (f *espFlags) check(credentials *credentialFlags, suites *suiteFlags) error {
	switch {
	case f.Protocol != esp && (f.SA != "" || len(f.SALine) > 0 || f.SAState != "" || f.Legacy || f.Protected != "udp" || len(f.ProtectedRoute) > 0):
		return errors.New("-sa, -sa-line, -sa-state, -allow-legacy and -protected are for -protocol esp")
	case f.Protocol == esp && (*credentials != credentialFlags{} || len(suites.Suite) > 0):
		return errors.New("-cert, -key, -ca, -psk and -suite are for -protocol dtls; with esp, keys and transforms are in the SA file")
	case f.Protocol == esp && f.SA == "" && len(f.SALine) == 0:
		return errors.New("name an SA file with -sa, or give its lines with -sa-line")
	case f.Protocol == esp && f.SA == "" && f.SAState == "":
		return errors.New("name a file with -sa-state: the keys of -sa-line must not protect two packets under one sequence number, and it remembers those that were used")
	}
	return nil
}

// read is the SA file with the lines of flags behind it.
func (f *espFlags) read() (*safile.File, error) {
	file := &safile.File{}
	if f.SA != "" {
		var err error
		if file, err = safile.Read(f.SA); err != nil {
			return nil, err
		}
	}
	for _, line := range f.SALine {
		if err := file.Add(line); err != nil {
			return nil, fmt.Errorf("-sa-line: %w", err)
		}
	}
	switch {
	case len(file.SAs) == 0:
		return nil, fmt.Errorf("%s: no security association in it", f.SA)
	case file.Capture:
		return nil, fmt.Errorf("%s: its keys have protected a capture; a gateway needs its own", f.SA)
	}
	return file, errors.Join(checkLegacy(file, f.Legacy), file.CheckKeys())
}

// checkLegacy refuses SAs for old equipment that nobody allowed.
func checkLegacy(file *safile.File, allowed bool) error {
	for i := range file.SAs {
		if err := needLegacy(file.SAs[i].Transform, allowed); err != nil {
			return err
		}
	}
	return nil
}

// needLegacy refuses a transform for old equipment that nobody allowed.
func needLegacy(t ipsecadapter.Transform, allowed bool) error {
	if t.IsLegacy() && !allowed {
		return fmt.Errorf("%v is there for old equipment: it needs -allow-legacy", t)
	}
	return nil
}

// needEnds refuses SAs to send through that lack the addresses of ESP's own IP header.
// Those of transport mode need none, but for one to find the way by where hops is set.
func needEnds(file *safile.File, hops bool) error {
	for i := range file.SAs {
		s := &file.SAs[i]
		var missing string
		tunnel := s.Mode == ipsecadapter.Tunnel
		switch {
		case !s.Out:
		case tunnel && !s.From.IsValid() && !s.To.IsValid():
			missing = "from= and to="
		case tunnel && !s.From.IsValid():
			missing = "from="
		case (tunnel || hops) && !s.To.IsValid():
			missing = "to="
		}
		if missing != "" {
			return fmt.Errorf("SA %#x has no %s, and ESP in IP needs the addresses of both gateways: make it with gateway keygen -sa DIR -ends ADDR,ADDR", s.SPI, missing)
		}
	}
	return nil
}

// openStore opens the file of sequence numbers, and keeps other gateways off the keys.
func (f *espFlags) openStore() (*seqstore.Store, error) {
	switch {
	case f.SA == "":
		return seqstore.Open(f.SAState)
	case f.SAState == "":
		return seqstore.Open(f.SA+".next", f.SA)
	}
	return seqstore.Open(f.SAState, f.SA)
}
