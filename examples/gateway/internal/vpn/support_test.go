package vpn

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/netip"
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

// long is more than anything takes on the busiest machine.
const long = time.Minute

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
	return newLingeringNetwork(t, inner, 0)
}

// newLingeringNetwork has a server that leaves sessions that long to end.
func newLingeringNetwork(t *testing.T, inner string, linger time.Duration) *network {
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
		Log: slog.New(slog.NewTextHandler(n.logs, nil)), Ledger: NewLedger(e), linger: linger,
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
		case <-time.After(long):
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
	return n.joinWith(identity, habits{})
}

// habits are what tests change of a client; zero leaves the default.
type habits struct {
	renewAfter        uint64
	keepalive, linger time.Duration
}

// joinWith joins a client of other habits.
func (n *network) joinWith(identity string, as habits) *host {
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
		RenewAfter: as.renewAfter, Keepalive: as.keepalive, linger: as.linger,
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
		n.eventually("both sides route", func() bool { return n.routed(h) })
	case <-time.After(long):
		n.t.Fatalf("%s got no address; logs:\n%s", identity, n.logs)
	}
	return h
}

// routed reports whether server and client use the same session for what the host gets.
func (n *network) routed(h *host) bool {
	there, here := n.server.table.find(h.address), h.client.current.Load()
	return there != nil && here != nil && there.conn.RemoteAddr().String() == here.conn.LocalAddr().String()
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
	timeout := time.AfterFunc(long, func() { p.Close() })
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
	deadline := time.Now().Add(long)
	for !holds() {
		if time.Now().After(deadline) {
			n.t.Fatalf("it does not come about that %s; totals %+v, logs:\n%s", what, n.server.Ledger.Totals(), n.logs)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

var world = netip.MustParseAddr("192.0.2.9")
