package espvpn

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/ipsecadapter"
)

const mtu = 1400

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	must(t, err)
	t.Cleanup(e.Close)
	return e
}

// files are the SAs of two gateways: 10.9.0.1 is behind the first, 10.9.0.2 behind the second.
func files(t testing.TB, ends ...netip.Addr) []safile.File {
	t.Helper()
	made, err := safile.Generate(safile.Plan{
		Names: []string{"first", "second"}, Transform: ipsecadapter.AES128GCM16, Network: netip.MustParsePrefix("10.9.0.1/24"), Ends: ends,
	})
	must(t, err)
	return made
}

var outside = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}

// running is a gateway that runs.
type running struct {
	*Gateway
	t     testing.TB
	plain *memory.Port // the outer end of its plain side
	stop  context.CancelFunc
	ended chan error
	store *seqstore.Store
}

// launch runs a gateway until the test is over.
func launch(t testing.TB, e *engine.Engine, file *safile.File, link Link, o Options) *running {
	t.Helper()
	r := &running{t: t, ended: make(chan error, 1), store: seqstore.InMemory()}
	if o.Store == nil {
		o.Store = r.store
	}
	peers, err := Open(e, file, o)
	must(t, err)
	outer, inner := memory.Pair(256, mtu)
	r.plain = outer
	r.Gateway = New(Config{
		Engine: e, Plain: inner, Link: link, Socket: o.Socket, Peers: peers, MTU: mtu, Log: slog.New(slog.DiscardHandler), Count: &tunnel.Counters{},
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() { r.ended <- errors.Join(r.Run(ctx), peers.Close()) }()
	t.Cleanup(stop)
	return r
}

// end stops the gateway, and fails the test if it had failed.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	r.wait(nil)
}

// wait waits for the gateway's end.
func (r *running) wait(want error) {
	r.t.Helper()
	select {
	case err := <-r.ended:
		if !errors.Is(err, want) {
			r.t.Errorf("the gateway ends with %v, want %v", err, want)
		}
	case <-time.After(time.Minute):
		r.t.Fatal("the gateway does not end")
	}
}

// pack is an IPv4 packet of the hosts 10.9.0.from and 10.9.0.to, with a number in it.
func pack(from, to, number byte, size int) []byte {
	p := make([]byte, size)
	copy(p, []byte{0x45, 0, byte(size >> 8), byte(size), 0, number, 0x40, 0, 64, 253, 0, 0, 10, 9, 0, from, 10, 9, 0, to})
	for i := 20; i < size; i++ {
		p[i] = number + byte(i)
	}
	return p
}

// put sends packets into the gateway's plain side.
func (r *running) put(packets ...[]byte) {
	r.t.Helper()
	burst := port.NewBurst(len(packets), mtu)
	for i, p := range packets {
		port.Put(&burst[i], p)
	}
	if n, err := r.plain.Send(burst); n != len(packets) || err != nil {
		r.t.Fatal(n, err)
	}
}

// expect waits for packets at the gateway's plain side.
func (r *running) expect(packets ...[]byte) {
	r.t.Helper()
	patience := time.AfterFunc(time.Minute, func() { _ = r.plain.Close() })
	defer patience.Stop()
	burst := port.NewBurst(1, mtu)
	for i, want := range packets {
		if _, err := r.plain.Receive(burst); err != nil {
			r.t.Fatalf("packet %d does not come: %v", i, err)
		}
		if got := burst[0].Content(); string(got) != string(want) {
			r.t.Fatalf("packet %d is\n% x, want\n% x", i, got, want)
		}
	}
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not so", what)
}

func hub(t testing.TB) *udp.Hub {
	t.Helper()
	socket, err := udp.Listen("127.0.0.1:0")
	must(t, err)
	h, err := udp.NewHub(socket)
	must(t, err)
	return h
}
