package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/sealburst/sealburst/examples/gateway/internal/espvpn"
	"github.com/sealburst/sealburst/examples/gateway/internal/plain"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/rawip"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// espConfig is what the flags of serve and connect come to.
type espConfig struct {
	listen string       // UDP address of the protected side
	peer   string       // HOST:PORT of the only peer, or empty
	inside netip.Prefix // the zero value for the SA file's
	mtu    int          // 0 for the SA file's
}

// settle takes from the SA file what the flags leave open.
func (c *espConfig) settle(file *safile.File) error {
	if !c.inside.IsValid() {
		c.inside = file.Inside
	}
	switch {
	case c.mtu != 0:
	case file.MTU != 0:
		c.mtu = file.MTU
	default:
		c.mtu = defaultMTU
	}
	if c.mtu < minMTU || c.mtu > maxESPMTU {
		return fmt.Errorf("MTU %d: must be from %d to %d", c.mtu, minMTU, maxESPMTU)
	}
	return nil
}

// maxESPMTU leaves room for every header in the longest IP packet.
const maxESPMTU = 65000

// runESP runs a gateway until it is told to stop.
func (f *tunnelFlags) runESP(env *environment, c espConfig) error {
	file, err := f.read()
	if err != nil {
		return err
	}
	if err := c.settle(file); err != nil {
		return err
	}
	if strings.HasPrefix(f.Plain, "tun:") && !c.inside.IsValid() {
		return errors.New("a TUN device needs an address: a line inside in the SA file, or -address")
	}
	store, err := f.openStore()
	if err != nil {
		return err
	}
	defer store.Close()
	return f.operate(env, func(o *operation) (err error) {
		options := espvpn.Options{Socket: f.Protected == "udp", Store: store}
		if options.Peer, err = c.resolve(options.Socket); err != nil {
			return err
		}
		if !options.Socket {
			if err := needEnds(file, false); err != nil {
				return err
			}
		}
		peers, err := espvpn.Open(o.engine, file, options)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, peers.Close()) }()
		return f.carry(env, o, &c, peers)
	})
}

// resolve finds the only peer, if one was named.
func (c *espConfig) resolve(socket bool) (netip.AddrPort, error) {
	switch {
	case c.peer == "":
		return netip.AddrPort{}, nil
	case !socket:
		return netip.AddrPort{}, errors.New("HOST:PORT is for -protected udp; else addresses are in the SA file")
	}
	at, err := net.ResolveUDPAddr("udp", withPort(c.peer, fmt.Sprint(ipsecadapter.NATTPort)))
	if err != nil {
		return netip.AddrPort{}, err
	}
	end := at.AddrPort()
	return netip.AddrPortFrom(end.Addr().Unmap(), end.Port()), nil
}

// carry opens both sides and moves packets between them.
func (f *tunnelFlags) carry(env *environment, o *operation, c *espConfig, peers *espvpn.Peers) error {
	link, where, err := f.openLink(c)
	if err != nil {
		return err
	}
	inside, name, err := plain.Open(f.Plain, plain.Config{Address: c.inside, Routes: f.Route, MTU: c.mtu})
	if err != nil {
		_ = link.Close()
		return err
	}
	g := espvpn.New(espvpn.Config{
		Engine: o.engine, Plain: inside, Link: link, Socket: f.Protected == "udp", Peers: peers, MTU: c.mtu, Log: o.log, Count: o.ledger.Count(),
	})
	o.ledger.Attach(peers.Len(), g.Drops)
	o.log.Info("serving", "protocol", esp, "protected", where, "plain", name, "address", c.inside.String(), "mtu", c.mtu, "peers", peers.Len())
	return g.Run(env.ctx)
}

// openLink opens the protected side, and says what it is for logs.
func (f *espFlags) openLink(c *espConfig) (espvpn.Link, string, error) {
	if address, ok := strings.CutPrefix(f.Protected, "ip:"); ok {
		return openRaw(address)
	}
	if f.Protected != "udp" {
		p, name, err := plain.Open(f.Protected, plain.Config{Routes: f.ProtectedRoute, MTU: c.mtu + espOverhead})
		if err != nil {
			return nil, "", fmt.Errorf("-protected: %w", err)
		}
		return espvpn.OnPort(p), name, nil
	}
	socket, err := udp.Listen(c.listen)
	if err != nil {
		return nil, "", err
	}
	hub, err := udp.NewHub(socket)
	if err != nil {
		_ = socket.Close()
		return nil, "", err
	}
	return hub, "udp:" + hub.Addr().String(), nil
}

// openRaw opens a raw socket for ESP.
func openRaw(address string) (espvpn.Link, string, error) {
	local, err := netip.ParseAddr(address)
	if err != nil {
		return nil, "", fmt.Errorf("-protected ip: %w", err)
	}
	p, err := rawip.Open(local, protocolESP)
	if err != nil {
		return nil, "", fmt.Errorf("-protected: %w", err)
	}
	return espvpn.OnPort(p), "ip:" + local.String(), nil
}

const protocolESP = 50 // RFC 4303 section 2

// espOverhead is how much longer than the packet inside an ESP packet may be.
const espOverhead = 160
