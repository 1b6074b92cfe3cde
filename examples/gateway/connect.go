package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/plain"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// connectCommand is a client of a VPN.
type connectCommand struct {
	tunnelFlags
	Server     string `arg:"" optional:"" name:"HOST[:PORT]" help:"The serving gateway; the port is 4433 unless given, and 4500 with esp. With esp all of it may be left out where the SA file says where the peer is."`
	ServerName string `placeholder:"NAME" help:"The name that the server's certificate must have; HOST unless given."`
	Identity   string `placeholder:"NAME" help:"Which identity of the PSK file to use; its first unless given."`
}

// Run connects and stays connected until it is told to stop.
func (c *connectCommand) Run(env *environment) error {
	if err := c.espFlags.check(&c.credentialFlags, &c.suiteFlags); err != nil {
		return err
	}
	if c.Protocol == esp {
		return c.runESP(env, espConfig{listen: ":0", peer: c.Server})
	}
	return c.runDTLS(env)
}

func (c *connectCommand) runDTLS(env *environment) error {
	if c.Server == "" {
		return errors.New("connect: name the serving gateway, HOST or HOST:PORT")
	}
	c.Server = withPort(c.Server, defaultPort)
	host, _, err := net.SplitHostPort(c.Server)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Server, err)
	}
	suites, err := c.ids(env)
	if err != nil {
		return err
	}
	files := credentials.Files{Cert: c.Cert, Key: c.Key, CA: c.CA, PSK: c.PSK, Identity: c.Identity, ServerName: c.ServerName}
	if files.ServerName == "" {
		files.ServerName = host
	}
	config, err := files.Client(suites)
	if err != nil {
		return err
	}
	return c.operate(env, func(o *operation) error {
		client := vpn.Client{
			Server: c.Server,
			Dial:   func(ctx context.Context) (*dtlsadapter.Conn, error) { return dial(ctx, c.Server, config, o.engine) },
			Open:   func(a vpn.Assignment) (port.Port, error) { return c.open(a, o) },
			Log:    o.log,
			Ledger: o.ledger,
		}
		return client.Run(env.ctx)
	})
}

// defaultPort is where a gateway serves DTLS.
const defaultPort = "4433"

// withPort is HOST:PORT of a server that was named with its port or without.
func withPort(server, port string) string {
	if _, _, err := net.SplitHostPort(server); err == nil {
		return server
	}
	return net.JoinHostPort(strings.Trim(server, "[]"), port)
}

func dial(ctx context.Context, server string, config *dtls.Config, e *engine.Engine) (*dtlsadapter.Conn, error) {
	socket, err := udp.Dial("", server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, handshakePatience)
	defer cancel()
	conn, err := dtlsadapter.Client(ctx, socket, config, e)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("no handshake with %s within %v: it is silent, or has another pre-shared key", server, handshakePatience)
	}
	return conn, err
}

func (c *connectCommand) open(a vpn.Assignment, o *operation) (port.Port, error) {
	p, name, err := plain.Open(c.Plain, plain.Config{Address: a.Address, Routes: c.Route, MTU: a.MTU})
	if err == nil {
		o.log.Info("plain side open", "plain", name)
	}
	return p, err
}
