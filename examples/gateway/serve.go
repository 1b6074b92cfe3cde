package main

import (
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
	metricsFlags
	Plain string         `default:"tun:sealburst%d" placeholder:"PORT" help:"Plain side: ${plain} (default ${default})."`
	Route []netip.Prefix `placeholder:"NET" help:"Route this network into the TUN device too; may be repeated."`
	Log   string         `name:"log" enum:"debug,info,warn,error" default:"info" help:"Least level of logs: debug, info, warn or error."`
}

// serveCommand is the server of a VPN.
type serveCommand struct {
	tunnelFlags
	Listen  string       `default:":4433" placeholder:"ADDR" help:"UDP address that clients connect to (default ${default})."`
	Address netip.Prefix `default:"10.99.0.1/24" placeholder:"ADDR/BITS" help:"The server's own address inside the tunnel, and the network that clients get theirs from (default ${default})."`
	MTU     int          `name:"mtu" default:"1400" help:"Longest packet inside the tunnel, in bytes."`
}

// Run serves until it is told to stop.
func (c *serveCommand) Run(env *environment) error {
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
	handshakePatience = 30 * time.Second
)
