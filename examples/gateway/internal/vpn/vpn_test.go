package vpn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
)

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
	case <-time.After(long):
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
