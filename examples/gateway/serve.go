package main

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/plain"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// tunnelFlags are what both ends of a tunnel have.
type tunnelFlags struct {
	credentialFlags
	suiteFlags
	espFlags
	metricsFlags
	Plain string         `default:"tun:sealburst%d" placeholder:"PORT" help:"Plain side: ${plain} (default ${default})."`
	Route []netip.Prefix `placeholder:"NET" help:"Route this network into the TUN device too; may be repeated."`
	Log   string         `name:"log" enum:"debug,info,warn,error" default:"info" help:"Least level of logs: debug, info, warn or error."`
}

// serveCommand is the server of a VPN.
type serveCommand struct {
	tunnelFlags
	Listen  string       `placeholder:"ADDR" help:"UDP address that clients connect to (default :4433, and :4500 with esp)."`
	Address netip.Prefix `placeholder:"ADDR/BITS" help:"The server's own address inside the tunnel, and the network that clients get theirs from (default 10.99.0.1/24, and the SA file's with esp)."`
	MTU     int          `name:"mtu" help:"Longest packet inside the tunnel, in bytes (default 1400, and the SA file's with esp)."`
}

// Run serves until it is told to stop.
func (c *serveCommand) Run(env *environment) error {
	if err := c.espFlags.check(&c.credentialFlags, &c.suiteFlags); err != nil {
		return err
	}
	if c.Protocol == esp {
		return c.runESP(env, espConfig{listen: cmp.Or(c.Listen, ":4500"), inside: c.Address, mtu: c.MTU})
	}
	c.Listen, c.MTU = cmp.Or(c.Listen, ":4433"), cmp.Or(c.MTU, defaultMTU)
	if !c.Address.IsValid() {
		c.Address = netip.MustParsePrefix(defaultInside)
	}
	return c.runDTLS(env)
}

func (c *serveCommand) runDTLS(env *environment) error {
	if c.MTU < minMTU || c.MTU > dtlsadapter.MaxPlaintext {
		return fmt.Errorf("-mtu %d: must be from %d to %d", c.MTU, minMTU, dtlsadapter.MaxPlaintext)
	}
	if c.Address.Bits() < c.Address.Addr().BitLen()-1 && c.Address.Addr() == c.Address.Masked().Addr() {
		return fmt.Errorf("-address %v: must be the server's own address, not the network's", c.Address)
	}
	suites, err := c.ids(env)
	if err != nil {
		return err
	}
	files := credentials.Files{Cert: c.Cert, Key: c.Key, CA: c.CA, PSK: c.PSK}
	config, err := files.Server(suites)
	if err != nil {
		return err
	}
	at, err := net.ResolveUDPAddr("udp", c.Listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	return c.operate(env, func(o *operation) error {
		listener, err := dtlsadapter.Listen("udp", at, config, o.engine)
		if err != nil {
			return err
		}
		defer listener.Close()
		port, name, err := plain.Open(c.Plain, plain.Config{Address: c.Address, Routes: c.Route, MTU: c.MTU})
		if err != nil {
			return err
		}
		o.log.Info("serving", "listen", listener.Addr().String(), "plain", name, "address", c.Address.String(), "mtu", c.MTU)
		s := vpn.Server{Listener: listener, Plain: port, Network: c.Address, MTU: c.MTU, Log: o.log, Ledger: o.ledger}
		return s.Run(env.ctx)
	})
}

const (
	minMTU            = 576
	defaultMTU        = 1400
	defaultInside     = "10.99.0.1/24" // a server's address inside the tunnel
	handshakePatience = 30 * time.Second
)
