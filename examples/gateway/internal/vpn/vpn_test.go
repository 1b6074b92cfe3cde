package vpn

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testMTU = 1400

// logs collects what gateways log.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// network is a server on loopback, with its plain side in memory.
type network struct {
	t       *testing.T
	engine  *engine.Engine
	address string       // of the server
	inside  *memory.Port // what is behind the server
	server  *Server
	logs    *logs
	key     []byte
	stop    func() error
	done    chan error // the server's end
}

func newNetwork(t *testing.T, inner string) *network {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	n := &network{t: t, engine: e, logs: &logs{}, key: make([]byte, 32)}
	rand.Read(n.key)
	listener, err := dtlsadapter.Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, n.config(""), e)
	if err != nil {
		t.Fatal(err)
	}
	n.address = listener.Addr().String()
	plain, inside := memory.Pair(1024, testMTU)
	n.inside = inside
	n.server = &Server{
		Listener: listener, Plain: plain, Network: netip.MustParsePrefix(inner), MTU: testMTU,
		Log: slog.New(slog.NewTextHandler(n.logs, nil)), Ledger: NewLedger(e),
	}
	n.stop, n.done = run(n.server.Run)
	t.Cleanup(func() {
		if err := n.stop(); err != nil {
			t.Errorf("server: %v", err)
		}
		inside.Close()
		e.Close()
	})
	return n
}

// run starts a gateway, and returns what stops it and where its end shows.
func run(gateway func(context.Context) error) (stop func() error, done chan error) {
	ctx, cancel := context.WithCancel(context.Background())
	done = make(chan error, 1)
	go func() { done <- gateway(ctx) }()
	return sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("the gateway does not stop")
		}
	}), done
}

func (n *network) config(identity string) *dtls.Config {
	return &dtls.Config{
		PSK:             func([]byte) ([]byte, error) { return n.key, nil },
		PSKIdentityHint: []byte(identity),
	}
}

func (n *network) dial(identity string) func(context.Context) (*dtlsadapter.Conn, error) {
	return func(ctx context.Context) (*dtlsadapter.Conn, error) {
		socket, err := udp.Dial("", n.address)
		if err != nil {
			return nil, err
		}
		return dtlsadapter.Client(ctx, socket, n.config(identity), n.engine)
	}
}

// host is a client gateway and what is behind it.
type host struct {
	client  *Client
	inside  *memory.Port
	address netip.Addr
	stop    func() error
}

// join starts a client and waits until it has its address.
func (n *network) join(identity string) *host {
	n.t.Helper()
	return n.joinWith(identity, 0, 0)
}

// joinWith sets the client's RenewAfter and Keepalive.
func (n *network) joinWith(identity string, renewAfter uint64, keepalive time.Duration) *host {
	n.t.Helper()
	h := &host{}
	opened := make(chan Assignment, 1)
	h.client = &Client{
		Dial: n.dial(identity),
		Open: func(a Assignment) (port.Port, error) {
			plain, inside := memory.Pair(1024, a.MTU)
			h.inside = inside
			opened <- a
			return plain, nil
		},
		Log: slog.New(slog.NewTextHandler(n.logs, nil)), Ledger: NewLedger(n.engine),
		RenewAfter: renewAfter, Keepalive: keepalive,
	}
	h.stop, _ = run(h.client.Run)
	n.t.Cleanup(func() {
		if err := h.stop(); err != nil {
			n.t.Errorf("client: %v", err)
		}
		if h.inside != nil {
			h.inside.Close()
		}
	})
	select {
	case a := <-opened:
		h.address = a.Address.Addr()
		n.eventually("both sides route", func() bool { return n.server.table.find(h.address) != nil && h.client.current.Load() != nil })
	case <-time.After(5 * time.Second):
		n.t.Fatalf("%s got no address; logs:\n%s", identity, n.logs)
	}
	return h
}

// packet is an IPv4 packet with a text in it.
func packet(from, to netip.Addr, text string) []byte {
	p := append([]byte{0x45, 0, 0, byte(20 + len(text)), 0, 0, 0, 0, 64, 253, 0, 0}, from.AsSlice()...)
	return append(append(p, to.AsSlice()...), text...)
}

func send(t *testing.T, p port.Port, packets ...[]byte) {
	t.Helper()
	burst := port.NewBurst(len(packets), testMTU)
	for i := range packets {
		port.Put(&burst[i], packets[i])
	}
	if _, err := p.Send(burst); err != nil {
		t.Fatal(err)
	}
}

// expect receives packets and compares them with those wanted, in order.
func expect(t *testing.T, p port.Port, want ...[]byte) {
	t.Helper()
	timeout := time.AfterFunc(5*time.Second, func() { p.Close() })
	defer timeout.Stop()
	burst := port.NewBurst(port.MaxBurst, testMTU)
	for len(want) > 0 {
		n, err := p.Receive(burst[:min(len(want), port.MaxBurst)])
		if err != nil {
			t.Fatalf("%d packets did not come: %v", len(want), err)
		}
		for i := range n {
			if got := burst[i].Content(); !bytes.Equal(got, want[i]) {
				t.Fatalf("got % x, want % x", got, want[i])
			}
		}
		want = want[n:]
	}
}

// eventually waits until something holds.
func (n *network) eventually(what string, holds func() bool) {
	n.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			n.t.Fatalf("it does not come about that %s; totals %+v, logs:\n%s", what, n.server.Ledger.Totals(), n.logs)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

var world = netip.MustParseAddr("192.0.2.9")

func TestManyClientsEachGetTheirOwn(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	var hosts []*host
	for i := range 5 {
		hosts = append(hosts, n.join(fmt.Sprint("client ", i)))
	}
	var mixed [][]byte // one burst with packets for all, in turns
	for i := range 40 {
		mixed = append(mixed, packet(world, hosts[i%5].address, fmt.Sprint("down ", i)))
	}
	send(t, n.inside, mixed...)
	for i, h := range hosts {
		var mine [][]byte
		for at := i; at < len(mixed); at += 5 {
			mine = append(mine, mixed[at])
		}
		expect(t, h.inside, mine...)
		up := packet(h.address, world, fmt.Sprint("up ", i))
		send(t, h.inside, up)
		expect(t, n.inside, up)
	}
	n.eventually("everything is counted", func() bool {
		totals := n.server.Ledger.Totals()
		return totals.Sessions == 5 && totals.Opened == 5 && totals.Out.Packets == 40 && totals.In.Packets == 5 && len(totals.Out.Drops) == 0
	})
	if totals := n.server.Ledger.Totals(); totals.SealBurst <= 1 {
		t.Errorf("mean burst of %.1f reached the engine", totals.SealBurst)
	}
}

func TestSpoofedAndStrayPacketsAreDropped(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	a, b := n.join("a"), n.join("b")
	good := packet(a.address, world, "good")
	send(t, a.inside, packet(b.address, world, "spoofed"), []byte{0x45, 1}, good)
	expect(t, n.inside, good)
	down := packet(world, a.address, "good")
	send(t, n.inside, packet(world, world, "for nobody"), []byte{0x60, 1}, down)
	expect(t, a.inside, down)
	n.eventually("the drops are counted", func() bool {
		totals := n.server.Ledger.Totals()
		return totals.In.Drops["wrong-source"] == 1 && totals.Out.Drops["unknown-session"] == 1 && totals.Out.Drops["malformed"] == 1
	})
	n.eventually("the client counts what is no IP packet", func() bool {
		return a.client.Ledger.Totals().Out.Drops["malformed"] == 1
	})
}

func TestSameClientAgainTakesItsAddress(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	first := n.join("alice")
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	second := n.join("alice")
	if second.address != first.address {
		t.Errorf("%v, then %v", first.address, second.address)
	}
	third := n.join("bob")
	if third.address == second.address {
		t.Error("two clients have one address")
	}
	down := packet(world, second.address, "to the second")
	send(t, n.inside, down)
	expect(t, second.inside, down)
}

func TestLostSessionIsMadeAgain(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	h := n.join("alice")
	n.server.table.find(h.address).conn.Close() // as a server that starts anew does
	n.eventually("there is a second session", func() bool {
		return n.server.Ledger.Totals().Opened == 2 && n.server.table.find(h.address) != nil
	})
	down := packet(world, h.address, "after the loss") // the plain side is the same as before
	send(t, n.inside, down)
	expect(t, h.inside, down)
}

func TestWornSessionIsReplacedWithoutLoss(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	h := n.joinWith("alice", 100, 10*time.Millisecond)
	const total = 600
	for i := range total {
		down, up := packet(world, h.address, fmt.Sprint("down ", i)), packet(h.address, world, fmt.Sprint("up ", i))
		send(t, n.inside, down)
		send(t, h.inside, up)
		expect(t, h.inside, down)
		expect(t, n.inside, up)
	}
	totals := n.server.Ledger.Totals()
	if totals.Opened < 3 || len(totals.Out.Drops) != 0 || len(totals.In.Drops) != 0 {
		t.Errorf("%d sessions for %d packets; drops %v, %v", totals.Opened, total, totals.Out.Drops, totals.In.Drops)
	}
	n.eventually("the sessions that were replaced end", func() bool { return n.server.Ledger.Totals().Sessions == 1 })
}

func TestServerThatIsNotThere(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	c := &Client{
		Dial:   func(context.Context) (*dtlsadapter.Conn, error) { return nil, io.ErrUnexpectedEOF },
		Log:    slog.New(slog.DiscardHandler),
		Ledger: NewLedger(n.engine),
	}
	if err := c.Run(context.Background()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

func TestPlainSideThatCannotBeOpened(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	missing := errors.New("no such device")
	c := &Client{
		Dial: n.dial("alice"), Open: func(Assignment) (port.Port, error) { return nil, missing },
		Log: slog.New(slog.DiscardHandler), Ledger: NewLedger(n.engine),
	}
	if err := c.Run(context.Background()); !errors.Is(err, missing) {
		t.Errorf("%v", err)
	}
}

func TestServerStopsWhenThePlainSideFails(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	n.join("alice")
	n.server.Plain.Close()
	select {
	case err := <-n.done:
		if !errors.Is(err, errPlain) {
			t.Errorf("the server stopped with %v", err)
		}
		n.done <- nil // for the one who stops it
	case <-time.After(5 * time.Second):
		t.Error("the server goes on without its plain side")
	}
}

func TestFullNetworkRefuses(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/30")
	n.join("alice")
	c := &Client{Dial: n.dial("bob"), Log: slog.New(slog.DiscardHandler), Ledger: NewLedger(n.engine)}
	var refused *RefusedError
	if err := c.Run(context.Background()); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "no address is left") {
		t.Errorf("a second client in a network for one: %v", err)
	}
	if !strings.Contains(n.logs.String(), "no address is left") {
		t.Errorf("logs:\n%s", n.logs)
	}
}

func TestLogsHoldNoSecret(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	h := n.join("alice")
	up := packet(h.address, world, "a secret message")
	send(t, h.inside, up)
	expect(t, n.inside, up)
	text := n.logs.String()
	if !strings.Contains(text, "psk:alice") || !strings.Contains(text, "session opened") {
		t.Errorf("logs:\n%s", text)
	}
	if strings.Contains(text, fmt.Sprintf("%x", n.key)) || strings.Contains(text, "secret message") {
		t.Error("logs hold a secret")
	}
}
