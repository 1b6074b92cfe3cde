package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// keygenCommand makes credentials.
type keygenCommand struct {
	Dir   string   `placeholder:"DIR" help:"Make NAME.pem and NAME.key in DIR, signed by the authority ca.pem there, which is made if it is missing."`
	PSK   string   `name:"psk" placeholder:"FILE" help:"Append a pre-shared key for each NAME to FILE."`
	SA    string   `name:"sa" placeholder:"DIR" help:"Make NAME.sa in DIR: security associations between the first NAME and each of the others, for -protocol esp."`
	Names []string `arg:"" name:"NAME" help:"Gateways: host names, IP addresses or plain names. A client checks that the server's is the name it was given."`
	planFlags
}

// given reports whether any of the flags is there.
func (f *planFlags) given() bool {
	return f.Transform != "" || f.Legacy || f.Address.IsValid() || f.MTU != 0 || len(f.Ends) > 0
}

// planFlags say what SAs are like.
type planFlags struct {
	transformFlag
	Legacy  bool         `name:"allow-legacy" help:"With -sa: ${legacy}."`
	Address netip.Prefix `placeholder:"ADDR/BITS" help:"With -sa: the first gateway's address inside the tunnel, and the network; the others follow (default 10.99.0.1/24)."`
	MTU     int          `name:"mtu" help:"With -sa: longest packet inside the tunnel, in bytes (default 1400)."`
	Ends    []netip.Addr `placeholder:"ADDR" help:"With -sa: the addresses of all gateways outside the tunnel, in the order of the names. ESP then goes straight into IP; without them, into UDP."`
}

// transformFlag names the transform of SAs to make.
type transformFlag struct {
	Transform string `placeholder:"NAME" help:"What protects the packets of SAs that are made: ${transforms} (default aes128gcm16)."`
}

func (f *transformFlag) transform() (ipsecadapter.Transform, error) {
	if f.Transform == "" {
		return ipsecadapter.AES128GCM16, nil
	}
	t, err := ipsecadapter.ParseTransform(f.Transform)
	if err != nil {
		return 0, fmt.Errorf("-transform: %w (gateway keygen -help does, too)", err)
	}
	return t, nil
}

// Run makes certificates, pre-shared keys or SA files, and says which files it wrote.
func (c *keygenCommand) Run(env *environment) error {
	var written []string
	var err error
	switch {
	case c.SA == "" && c.given():
		return errors.New("keygen: -transform, -allow-legacy, -address, -mtu and -ends are for -sa")
	case c.Dir != "" && c.PSK == "" && c.SA == "":
		written, err = credentials.Generate(c.Dir, c.Names)
	case c.PSK != "" && c.Dir == "" && c.SA == "":
		if err = credentials.GeneratePSKs(c.PSK, c.Names); err == nil {
			written = []string{c.PSK}
		}
	case c.SA != "" && c.Dir == "" && c.PSK == "":
		written, err = c.writeSAs()
	default:
		return errors.New("keygen: name either a folder with -dir, a file with -psk, or a folder with -sa")
	}
	if env.json {
		return errors.Join(err, json.NewEncoder(env.stdout).Encode(map[string][]string{"written": written}))
	}
	for _, path := range written {
		fmt.Fprintln(env.stdout, "wrote", path)
	}
	return err
}

// writeSAs makes an SA file for each name. None is overwritten.
func (c *keygenCommand) writeSAs() (written []string, err error) {
	plan, err := c.plan()
	if err != nil {
		return nil, err
	}
	files, err := safile.Generate(plan)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.SA, 0o755); err != nil {
		return nil, err
	}
	for i := range files {
		path := filepath.Join(c.SA, c.Names[i]+".sa")
		if err := files[i].Create(path); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

func (c *keygenCommand) plan() (safile.Plan, error) {
	transform, err := c.transform()
	if err != nil {
		return safile.Plan{}, err
	}
	if err := needLegacy(transform, c.Legacy); err != nil {
		return safile.Plan{}, err
	}
	if len(c.Names) < 2 {
		return safile.Plan{}, errors.New("keygen -sa: name two gateways or more")
	}
	if !c.Address.IsValid() {
		c.Address = netip.MustParsePrefix(defaultInside)
	}
	if c.MTU = cmp.Or(c.MTU, defaultMTU); c.MTU < minMTU || c.MTU > maxESPMTU {
		return safile.Plan{}, fmt.Errorf("-mtu %d: must be from %d to %d", c.MTU, minMTU, maxESPMTU)
	}
	seen := map[string]bool{}
	for _, name := range c.Names {
		if !credentials.Nameable(name) || len(strings.Fields(name)) != 1 || seen[name] {
			return safile.Plan{}, fmt.Errorf("%q cannot be a gateway's name", name)
		}
		seen[name] = true
	}
	if len(c.Ends) != 0 && len(c.Ends) != len(c.Names) {
		return safile.Plan{}, fmt.Errorf("-ends: %d addresses for %d gateways", len(c.Ends), len(c.Names))
	}
	return safile.Plan{Names: c.Names, Transform: transform, Network: c.Address, MTU: c.MTU, Ends: c.Ends}, nil
}
