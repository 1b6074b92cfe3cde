package vpn

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
)

// verbose logs everything to l.
func verbose(l *logs) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// TestFailedHandshakesShow: a client whose key is refused is logged and counted at both ends.
func TestFailedHandshakesShow(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	local := &logs{}
	c := &Client{
		Server: n.address,
		Dial: func(ctx context.Context) (*dtlsadapter.Conn, error) {
			socket, err := udp.Dial("127.0.0.1:0", n.address)
			if err != nil {
				return nil, err
			}
			config := n.config("mallory")
			config.PSK = func([]byte) ([]byte, error) { return nil, errors.New("no such key") }
			return dtlsadapter.Client(ctx, socket, config, n.engine)
		},
		Log: verbose(local), Ledger: NewLedger(n.engine),
	}
	if err := c.Run(context.Background()); !errors.Is(err, dtlsadapter.ErrHandshake) {
		t.Errorf("%v", err)
	}
	if got := c.Ledger.Totals().Failed; got != 1 {
		t.Errorf("%d failed handshakes counted at the client, want 1", got)
	}
	for _, want := range []string{"level=INFO msg=connecting server=" + n.address, `level=WARN msg="handshake failed" server=` + n.address, "no such key"} {
		if !strings.Contains(local.String(), want) {
			t.Errorf("the client's log lacks %q:\n%s", want, local)
		}
	}
	n.eventually("the server logs and counts it", func() bool {
		return n.server.Ledger.Totals().Failed == 1 && strings.Contains(n.logs.String(), `level=WARN msg="handshake failed" peer=127.0.0.1:`)
	})
}

// TestAbortedHandshakeIsCounted: stopping a client whose server is silent.
func TestAbortedHandshakeIsCounted(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &Client{Log: verbose(n.logs), Ledger: NewLedger(n.engine)}
	c.Dial = func(ctx context.Context) (*dtlsadapter.Conn, error) {
		time.AfterFunc(50*time.Millisecond, cancel)
		socket, err := udp.Dial("", silent.LocalAddr().String())
		if err != nil {
			return nil, err
		}
		return dtlsadapter.Client(ctx, socket, n.config("alice"), n.engine)
	}
	if err := c.Run(ctx); err != nil {
		t.Error(err)
	}
	if got := c.Ledger.Totals().Failed; got != 1 {
		t.Errorf("%d failed handshakes counted, want 1", got)
	}
}

// TestRetriesAreLogged: at debug, and the failures that cause them as warnings.
func TestRetriesAreLogged(t *testing.T) {
	n := newNetwork(t, "10.99.0.1/24")
	h := n.join("alice")
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	local := &logs{}
	c := &Client{Server: "gate:4433", Log: verbose(local), Ledger: NewLedger(n.engine), attempts: 1}
	c.Dial = func(context.Context) (*dtlsadapter.Conn, error) { return nil, errors.New("first\nsecond") }
	_, _, err := c.establish(context.Background())
	c.report(err, time.Second)
	for _, want := range []string{
		"level=DEBUG msg=connecting server=gate:4433 attempt=2", `reason="first; second"`, "level=DEBUG msg=retrying server=gate:4433 in=1s",
	} {
		if !strings.Contains(local.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, local)
		}
	}
	if strings.Contains(local.String(), "session lost") {
		t.Errorf("a session that never was is called lost:\n%s", local)
	}
}

// TestServerOnAUDPPortStopsCleanly: a port whose second Close would be an error.
func TestServerOnAUDPPortStopsCleanly(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	n := &network{}
	listener, err := dtlsadapter.Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, n.config(""), e)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := udp.Dial("127.0.0.1:0", "127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := udp.New(socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Listener: listener, Plain: plain, Network: netip.MustParsePrefix("10.99.0.1/24"), MTU: testMTU,
		Log: slog.New(slog.DiscardHandler), Ledger: NewLedger(e),
	}
	stop, _ := run(s.Run)
	time.Sleep(20 * time.Millisecond)
	if err := stop(); err != nil {
		t.Errorf("%v", err)
	}
}
