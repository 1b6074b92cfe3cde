package main

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/dataplane"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// dpdkCommand is a gateway between two Ethernet devices of DPDK.
type dpdkCommand struct {
	protocolFlag
	credentialFlags
	suiteFlags
	metricsFlags
	Plain     sideFlags `embed:"" prefix:"plain-"`
	Protected sideFlags `embed:"" prefix:"protected-"`

	SA      string   `name:"sa" placeholder:"FILE" help:"With esp: the security associations, an SA file as gateway keygen -sa makes."`
	SALine  []string `name:"sa-line" sep:"none" placeholder:"LINE" help:"With esp: one line more of the SA file; may be repeated. Others on this machine can see it."`
	SAState string   `name:"sa-state" placeholder:"FILE" help:"With esp: where the sequence numbers that were used and accepted are kept (default FILE.next beside the SA file)."`
	Legacy  bool     `name:"allow-legacy" help:"With esp: allow transforms that are there for old equipment."`

	Listen  uint16       `default:"4433" placeholder:"PORT" help:"With dtls: the UDP port that clients connect to, at the addresses of the protected side (default ${default})."`
	Address netip.Prefix `default:"10.99.0.1/24" placeholder:"ADDR/BITS" help:"With dtls: the gateway's own address inside the tunnel, and the network that clients get theirs from (default ${default})."`
	Inside  int          `name:"inside-mtu" default:"1400" help:"With dtls: longest packet inside the tunnel, in bytes (default ${default})."`

	Workers     int           `default:"1" help:"Threads, each with a queue of either device (default ${default})."`
	CPU         []int         `name:"cpu" placeholder:"N" help:"Processors for the threads, one each; any unless given."`
	EAL         string        `name:"eal" placeholder:"ARGS" help:"Further arguments for DPDK, as in '-m 512 --huge-dir /mnt'."`
	Buffers     int           `default:"16384" help:"Frames that memory is taken for (default ${default})."`
	Busy        bool          `help:"Threads never sleep. Without it they do while nothing comes, which adds up to 0.1 ms."`
	Transparent bool          `help:"Leave hop limits as they are: be a wire, not a router."`
	Steps       bool          `help:"Measure what each step of a packet takes; it costs some nanoseconds a packet."`
	Await       time.Duration `default:"2s" placeholder:"TIME" help:"Wait so long at most for both devices' links before the first packet (default ${default})."`
	Quiet       time.Duration `placeholder:"TIME" help:"End when nothing has come for so long; 0 means never."`
	Time        time.Duration `placeholder:"TIME" help:"End after so long; 0 means never."`
	Log         string        `name:"log" enum:"debug,info,warn,error" default:"info" help:"Least level of logs: debug, info, warn or error."`
}

// sideFlags are one side of the gateway.
type sideFlags struct {
	Device  string         `required:"" placeholder:"DEVICE" help:"Ethernet device: a PCI address, or a virtual one such as net_tap0,iface=NAME."`
	Address []netip.Prefix `placeholder:"ADDR/BITS" help:"The gateway's own addresses there; without any it takes every IP packet."`
	Gateway netip.Addr     `placeholder:"ADDR" help:"Router for other networks."`
	Peer    string         `placeholder:"MAC" help:"Send every frame there, and ask for no neighbour."`
	MAC     string         `name:"mac" placeholder:"MAC" help:"The gateway's own hardware address, if not the device's; the device then takes in every frame."`
	MTU     int            `name:"mtu" default:"1500" help:"Longest IP packet in bytes (default ${default})."`
}

// host is the gateway on that side, whose device has a hardware address.
func (f *sideFlags) host(mac ethernet.MAC) (*ethernet.Host, error) {
	c := ethernet.Config{MAC: mac, Addresses: f.Address, Gateway: f.Gateway}
	for text, to := range map[string]*ethernet.MAC{f.MAC: &c.MAC, f.Peer: &c.Peer} {
		if text == "" {
			continue
		}
		var err error
		if *to, err = ethernet.ParseMAC(text); err != nil {
			return nil, err
		}
	}
	return ethernet.NewHost(c), nil
}

// Run carries packets until it is told to stop.
func (c *dpdkCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return err
	}
	line, err := dpdk.Start(strings.Fields(c.EAL), c.Plain.Device, c.Protected.Device)
	if err != nil {
		return err
	}
	log := (&tunnelFlags{Log: c.Log}).logger(env)
	log.Info(line)
	kernels, e, err := c.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	devices, err := c.open()
	if err != nil {
		return err
	}
	err = c.operate(env, &dpdkOperation{log, e, kernels, devices})
	return errors.Join(err, devices.close())
}

// espFlags are the flags as the other commands have them.
func (c *dpdkCommand) espFlags() espFlags {
	return espFlags{protocolFlag: c.protocolFlag, SA: c.SA, SALine: c.SALine, SAState: c.SAState, Legacy: c.Legacy, Protected: "udp"}
}

// engine makes an engine, and what measures it if that is asked for.
func (c *dpdkCommand) engine() (*steps.Kernels, *engine.Engine, error) {
	config := engine.Config{AllowLegacy: c.Legacy}
	var kernels *steps.Kernels
	if c.Steps {
		kernels = &steps.Kernels{}
		config.Available = kernels.Timed(builtin.Backends())
	}
	e, err := engine.New(config)
	if kernels != nil {
		kernels.Reset()
	}
	return kernels, e, err
}

// dpdkOperation is what the gateway runs on.
type dpdkOperation struct {
	log     *slog.Logger
	engine  *engine.Engine
	kernels *steps.Kernels
	devices *dpdkDevices
}

// operate runs the gateway and prints its totals.
func (c *dpdkCommand) operate(env *environment, o *dpdkOperation) (err error) {
	ledger := vpn.NewLedger(o.engine)
	config, err := c.sides(o)
	if err != nil {
		return err
	}
	protocol, err := c.protocol(o, &config, ledger)
	if err != nil {
		return err
	}
	g := dataplane.New(config)
	totals := func() vpn.Totals {
		t := ledger.Totals()
		out, in := g.Count()
		t.Out.Add(out)
		t.In.Add(in)
		t.Overrun = protocol.shed()
		return t
	}
	stop, err := c.serveMetrics(totals, g.Steps)
	if err != nil {
		return errors.Join(err, protocol.Close())
	}
	defer stop()
	ctx, cancel := c.limit(env.ctx)
	defer cancel()
	d := o.devices
	o.log.Info("serving", "protocol", c.Protocol, "plain", d.plain.Name(), "protected", d.protected.Name(), "workers", c.Workers,
		"plain_queues", d.plain.ReceivingQueues(), "protected_queues", d.protected.ReceivingQueues())
	d.await(ctx, c.Await)
	d.watch(ctx, o.log)
	err = g.Run(protocol.serve(ctx))
	cancel()
	err = errors.Join(err, protocol.Close())
	return errors.Join(err, c.print(env, &dpdkTotals{totals(), d.losses(), g.Shares(), g.Steps()}))
}

func (c *dpdkCommand) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.Time)
}

// sides describes the gateway's devices to its data plane.
func (c *dpdkCommand) sides(o *dpdkOperation) (dataplane.Config, error) {
	d := o.devices
	config := dataplane.Config{
		Kernels: o.kernels, Transparent: c.Transparent, Busy: c.Busy, Quiet: c.Quiet,
		Thread: func(worker int) (func(), error) { return dpdk.Thread(c.processor(worker)) },
	}
	for _, side := range []struct {
		flags  *sideFlags
		device *dpdk.Device
		queues []ethernet.Queue
		to     *dataplane.Side
	}{{&c.Plain, d.plain, d.plainQueues, &config.Plain}, {&c.Protected, d.protected, d.protectedQueues, &config.Protected}} {
		host, err := side.flags.host(side.device.MAC)
		if err != nil {
			return config, err
		}
		*side.to = dataplane.Side{Host: host, Queues: side.queues, MTU: side.flags.MTU}
	}
	return config, nil
}

// processor is the one that a worker runs on, or -1 for any.
func (c *dpdkCommand) processor(worker int) int {
	if len(c.CPU) == 0 {
		return -1
	}
	return c.CPU[worker]
}
