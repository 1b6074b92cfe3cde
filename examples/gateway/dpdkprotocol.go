package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/dataplane"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// dpdkProtocol is what protects the packets of a gateway.
type dpdkProtocol interface {
	// serve does what is to be done beside the workers until ctx is over, and says how long
	// they are to run.
	serve(ctx context.Context) context.Context
	// shed is how many datagrams were lost between the workers and what is done beside them.
	shed() uint64
	// Close is called when the workers are over.
	Close() error
}

// protocol makes the gateway's SAs or its listener, and tells the data plane of it.
func (c *dpdkCommand) protocol(o *dpdkOperation, config *dataplane.Config, ledger *vpn.Ledger) (dpdkProtocol, error) {
	if c.Protocol == esp {
		return c.openESP(o, config, ledger)
	}
	return c.listen(o, config, ledger)
}

// espSide is the SAs of an SA file.
type espSide struct {
	*dataplane.ESP
	store interface{ Close() error }
}

func (c *dpdkCommand) openESP(o *dpdkOperation, config *dataplane.Config, ledger *vpn.Ledger) (dpdkProtocol, error) {
	flags := c.espFlags()
	file, err := flags.read()
	if err != nil {
		return nil, err
	}
	store, err := flags.openStore()
	if err != nil {
		return nil, err
	}
	if err := store.Share(file.SPIs()); err != nil {
		o.log.Warn("no memory outlives the process: after a kill packets are refused at first", "cause", err.Error())
	}
	p, err := dataplane.NewESP(dataplane.ESPConfig{
		Engine: o.engine, File: file, Store: store, Host: config.Protected.Host, MTU: c.Protected.MTU,
	})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	config.Protocol = p.Worker
	if file.Inside.IsValid() {
		config.Inside = []netip.Addr{file.Inside.Addr()}
	}
	ledger.Attach(p.Peers(), p.Drops)
	return &espSide{p, store}, nil
}

func (s *espSide) serve(ctx context.Context) context.Context { return ctx }
func (s *espSide) shed() uint64                              { return 0 }

// Close writes down which numbers were used.
func (s *espSide) Close() error { return errors.Join(s.ESP.Close(), s.store.Close()) }

// dtlsSide is a server of DTLS beside the workers.
type dtlsSide struct {
	server *vpn.Server
	beside *dataplane.Beside
	done   chan error
}

func (c *dpdkCommand) listen(o *dpdkOperation, config *dataplane.Config, ledger *vpn.Ledger) (dpdkProtocol, error) {
	switch {
	case len(c.Protected.Address) == 0:
		return nil, errors.New("-protected-address: clients need an address to connect to")
	case c.Inside < minMTU || c.Inside > c.Protected.MTU-dtlsOverhead:
		return nil, fmt.Errorf("-inside-mtu %d: must be from %d to %d", c.Inside, minMTU, c.Protected.MTU-dtlsOverhead)
	}
	suites, err := credentials.Suites(c.Suite)
	if err != nil {
		return nil, err
	}
	files := credentials.Files{Cert: c.Cert, Key: c.Key, CA: c.CA, PSK: c.PSK}
	dtls, err := files.Server(suites)
	if err != nil {
		return nil, err
	}
	p := dataplane.NewDTLS(o.engine, config.Protected.Host, c.Listen, c.Inside)
	listener, err := dtlsadapter.ListenOn(p.Beside, dtls, o.engine)
	if err != nil {
		return nil, err
	}
	config.Protocol, config.Late, config.Inside = p.Worker, dataplane.NewLate(), []netip.Addr{c.Address.Addr()}
	return &dtlsSide{
		server: &vpn.Server{
			Listener: listener, Plain: config.Late, Network: c.Address, MTU: c.Inside, Log: o.log, Ledger: ledger, Direct: p,
		},
		beside: p.Beside, done: make(chan error, 1),
	}, nil
}

// dtlsOverhead is how much longer than the packet inside a packet with a record may be.
const dtlsOverhead = dtlsadapter.Headroom + dtlsadapter.Tailroom + 48

// goodbyes is how long the workers may take to send the last records of sessions.
const goodbyes = 200 * time.Millisecond

// serve runs the server. The workers go on until its goodbyes are sent.
func (s *dtlsSide) serve(ctx context.Context) context.Context {
	workers, stop := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		s.done <- s.server.Run(ctx)
		for begin := time.Now(); s.beside.Waiting() && time.Since(begin) < goodbyes; {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	return workers
}

func (s *dtlsSide) shed() uint64 { return s.beside.Shed() }

// Close waits for the server.
func (s *dtlsSide) Close() error { return <-s.done }
