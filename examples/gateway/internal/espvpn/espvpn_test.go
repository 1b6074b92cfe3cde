package espvpn

import (
	"errors"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

func TestPacketsGoBothWaysInIP(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, right := memory.Pair(256, 1600)
	first, second := launch(t, e, &sas[0], OnPort(left), Options{}), launch(t, e, &sas[1], OnPort(right), Options{})
	var there, back [][]byte
	for i := range byte(100) {
		there, back = append(there, pack(1, 2, i, 60+int(i)*13)), append(back, pack(2, 1, i, 20+int(i)))
	}
	first.put(there...)
	second.expect(there...)
	second.put(back...)
	first.expect(back...)
	first.end()
	second.end()
	if out, in := first.Count.Out.Flow(), second.Count.In.Flow(); out.Packets != 100 || in.Packets != 100 || out.Bytes != in.Bytes || out.Bytes != sum(there) {
		t.Errorf("out of the first %+v, into the second %+v", out, in)
	}
	if first.Drops() != (record.Tally{}) || second.Drops() != (record.Tally{}) {
		t.Errorf("dropped: %v, %v", first.Drops(), second.Drops())
	}
}

func sum(packets [][]byte) (bytes uint64) {
	for _, p := range packets {
		bytes += uint64(len(p))
	}
	return bytes
}

// TestPeerIsFoundAndFollowed is the server of a peer behind a NAT: it learns the peer's
// address from an authentic packet, and the next one when that has changed.
func TestPeerIsFoundAndFollowed(t *testing.T) {
	e, sas := newEngine(t), files(t)
	at := hub(t)
	server := launch(t, e, &sas[0], at, Options{Socket: true})
	server.put(pack(1, 2, 0, 100)) // nobody knows where to
	eventually(t, "a packet for a peer that is nowhere is dropped", func() bool {
		return server.Count.Out.Flow().Drops["unknown-session"] == 1
	})
	where := at.Addr().(*net.UDPAddr).AddrPort()
	store := seqstore.InMemory()
	for i := range byte(3) {
		client := launch(t, e, &sas[1], hub(t), Options{Socket: true, Peer: where, Store: store})
		client.put(pack(2, 1, i, 200))
		server.expect(pack(2, 1, i, 200))
		server.put(pack(1, 2, i, 300))
		client.expect(pack(1, 2, i, 300))
		client.end()
	}
	server.end()
}

// TestStrangersMoveNobody sends what is not authentic from another address.
func TestStrangersMoveNobody(t *testing.T) {
	e, sas := newEngine(t), files(t)
	at := hub(t)
	where := at.Addr().(*net.UDPAddr).AddrPort()
	server := launch(t, e, &sas[0], at, Options{Socket: true})
	client := launch(t, e, &sas[1], hub(t), Options{Socket: true, Peer: where})
	client.put(pack(2, 1, 1, 200))
	server.expect(pack(2, 1, 1, 200))

	stranger, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(where))
	must(t, err)
	defer stranger.Close()
	spi := sas[1].SAs[0].SPI
	forged := append([]byte{byte(spi >> 24), byte(spi >> 16), byte(spi >> 8), byte(spi), 0, 0, 0, 99}, make([]byte, 60)...)
	for _, datagram := range [][]byte{forged, {0, 0, 0, 0, 1, 2, 3, 4}, {0xff}, {1, 2}, append([]byte{9, 9, 9, 9}, forged[4:]...)} {
		if _, err := stranger.Write(datagram); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all are counted", func() bool { d := server.Drops(); return d.Dropped() == 5 })
	want := record.Tally{record.DropUnauthentic: 1, record.DropIKE: 1, record.DropKeepalive: 1, record.DropTruncated: 1, record.DropUnknownSession: 1}
	if got := server.Drops(); got != want {
		t.Errorf("dropped %v, want %v", got.ByName(), want.ByName())
	}
	server.put(pack(1, 2, 7, 300))
	client.expect(pack(1, 2, 7, 300))
}

// TestWhatIsNotThePeersIsRefused has a peer send from an address that is not behind it, and
// a packet to nobody.
func TestWhatIsNotThePeersIsRefused(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, right := memory.Pair(256, 1600)
	first, second := launch(t, e, &sas[0], OnPort(left), Options{}), launch(t, e, &sas[1], OnPort(right), Options{})
	second.put(pack(77, 1, 1, 100), pack(2, 1, 2, 100))
	first.expect(pack(2, 1, 2, 100))
	if drops := first.Drops(); drops[record.DropSelector] != 1 || drops.Dropped() != 1 {
		t.Errorf("dropped %v, want one that was not selected", drops.ByName())
	}
	first.put(pack(1, 99, 1, 100), []byte{0x45}, pack(1, 2, 3, 100))
	second.expect(pack(1, 2, 3, 100))
	eventually(t, "both are counted", func() bool {
		drops := first.Count.Out.Flow().Drops
		return drops["unknown-session"] == 1 && drops["malformed"] == 1
	})
}

func TestReplayedPacketsAreDropped(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, right := memory.Pair(256, 1600)
	near, far := memory.Pair(256, 1600)
	first, second := launch(t, e, &sas[0], OnPort(left), Options{}), launch(t, e, &sas[1], OnPort(far), Options{})
	first.put(pack(1, 2, 1, 100), pack(1, 2, 2, 100))
	burst := port.NewBurst(2, 1600)
	for n := 0; n < 2; {
		got, err := right.Receive(burst[n:])
		must(t, err)
		n += got
	}
	for range 3 {
		_, err := near.Send(burst)
		must(t, err)
	}
	second.expect(pack(1, 2, 1, 100), pack(1, 2, 2, 100))
	eventually(t, "replays are counted", func() bool { return second.Drops()[record.DropReplayed] == 4 })
}

// TestNumbersAreWrittenDownFirst ends a gateway without a word, and one in order.
func TestNumbersAreWrittenDownFirst(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	path := filepath.Join(t.TempDir(), "next")
	store, err := seqstore.Open(path)
	must(t, err)
	defer store.Close()
	left, right := memory.Pair(256, 1600)
	spi := sas[0].SAs[0].SPI
	g := launch(t, e, &sas[0], OnPort(left), Options{Store: store})
	g.put(pack(1, 2, 1, 100))
	burst := port.NewBurst(1, 1600)
	_, err = right.Receive(burst)
	must(t, err)
	if n := store.Next(spi); n < 1<<20 {
		t.Errorf("a packet has left, and a gateway that took over now would begin at %d", n)
	}
	g.end()
	if n := store.Next(spi); n != 2 {
		t.Errorf("one packet has left, and the next gateway begins at %d, want 2", n)
	}
	left, right = memory.Pair(256, 1600)
	g = launch(t, e, &sas[0], OnPort(left), Options{Store: store})
	g.put(pack(1, 2, 1, 100))
	_, err = right.Receive(burst)
	must(t, err)
	if number := burst[0].Content()[27]; number != 2 {
		t.Errorf("the next gateway begins at %d, want 2", number)
	}
	g.end()
}

// TestLastNumbersAreUsedOnce uses an SA up, and takes it over in order and without a word.
func TestLastNumbersAreUsedOnce(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	sas[0].SAs[0].ESN, sas[0].SAs[0].First = true, math.MaxUint64-2
	left, right := memory.Pair(256, 1600)
	store := seqstore.InMemory()
	g := launch(t, e, &sas[0], OnPort(left), Options{Store: store})
	for i := range byte(5) {
		g.put(pack(1, 2, i, 100))
	}
	_, err := right.Receive(port.NewBurst(1, 1600))
	must(t, err)
	for range 2 {
		if _, err := Open(e, &sas[0], Options{Store: store}); !errors.Is(err, ErrUsedUp) {
			t.Errorf("the next gateway ends with %v, want ErrUsedUp", err)
		}
		g.stop()
		eventually(t, "the gateway ends", func() bool { return len(g.ended) == 1 })
	}
}

// TestDatagramThatIsTooLongIsCounted sends more than the gateway's packets can need.
func TestDatagramThatIsTooLongIsCounted(t *testing.T) {
	e, sas := newEngine(t), files(t)
	at, stranger := hub(t), hub(t)
	defer stranger.Close()
	g := launch(t, e, &sas[0], at, Options{Socket: true})
	burst := port.NewBurst(1, 3*mtu)
	port.Put(&burst[0], make([]byte, 3*mtu))
	_, err := stranger.Send(burst, []netip.AddrPort{at.Addr().(*net.UDPAddr).AddrPort()})
	must(t, err)
	eventually(t, "it is counted", func() bool { return g.Count.In.Flow().Drops["too-long"] == 1 })
}

func TestNothingLeavesWithoutAPlaceForNumbers(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	store, err := seqstore.Open(filepath.Join(dir, "next"))
	must(t, err)
	defer store.Close()
	left, right := memory.Pair(256, 1600)
	g := launch(t, e, &sas[0], OnPort(left), Options{Store: store})
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("this system keeps a folder whose file is open: ", err)
	}
	g.put(pack(1, 2, 1, 100))
	g.wait(os.ErrNotExist)
	if n, err := right.Receive(port.NewBurst(1, 1600)); n != 0 {
		t.Errorf("%d packets left, %v", n, err)
	}
}

// TestKeepalives go to peers behind NATs to which nothing else went.
func TestKeepalives(t *testing.T) {
	e, sas := newEngine(t), files(t)
	peer := hub(t)
	defer peer.Close()
	g := launch(t, e, &sas[0], hub(t), Options{Socket: true, Peer: peer.Addr().(*net.UDPAddr).AddrPort()})
	g.put(pack(1, 2, 1, 100))
	burst, from := port.NewBurst(1, 1600), make([]netip.AddrPort, 1)
	next := func() []byte {
		_, err := peer.Receive(burst, from)
		must(t, err)
		return slices.Clone(burst[0].Content())
	}
	patience := time.AfterFunc(time.Minute, func() { _ = peer.Close() })
	defer patience.Stop()
	if len(next()) < 100 {
		t.Error("no packet came")
	}
	g.beat() // the packet was enough
	g.beat()
	if got := next(); len(got) != 1 || got[0] != 0xff {
		t.Errorf("% x, want a keepalive", got)
	}
	g.put(pack(1, 2, 2, 100))
	if len(next()) < 100 {
		t.Error("a keepalive came beside the packet")
	}
}

func TestKeepalivesInIP(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	for i := range sas[0].SAs {
		sas[0].SAs[i].UDP = true
	}
	left, right := memory.Pair(256, 1600)
	g := launch(t, e, &sas[0], OnPort(left), Options{})
	g.beat()
	burst := port.NewBurst(1, 1600)
	_, err := right.Receive(burst)
	must(t, err)
	got := burst[0].Content()
	if len(got) != 29 || got[9] != 17 || got[28] != 0xff || got[23] != 4500&0xff {
		t.Errorf("% x, want a keepalive in UDP", got)
	}
}

func TestEndOfBothCapturesEndsTheGateway(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, right := memory.Pair(256, 1600)
	g := launch(t, e, &sas[0], OnPort(left), Options{})
	must(t, g.plain.Close())
	select {
	case err := <-g.ended:
		t.Fatalf("the end of one side ended the gateway: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, right.Close())
	g.wait(nil)
}

func TestSAsThatDoNotFit(t *testing.T) {
	e := newEngine(t)
	used := seqstore.InMemory()
	ip, sock := files(t, outside...), files(t)
	must(t, used.Reserve(ip[0].SAs[0].SPI, math.MaxUint32+1))
	two := sock[0]
	two.SAs = slices.Concat(sock[0].SAs, files(t)[0].SAs)
	bad := files(t, outside...)[0]
	bad.SAs[0].To = netip.AddrPort{}
	three, err := safile.Generate(safile.Plan{
		Names: []string{"a", "b", "c"}, Transform: ipsecadapter.AES128GCM16, Network: netip.MustParsePrefix("10.9.0.1/24"),
	})
	must(t, err)
	for want, c := range map[string]struct {
		file    *safile.File
		options Options
	}{
		"used up":             {&ip[0], Options{Store: used}},
		"encap=udp":           {&ip[0], Options{Socket: true}},
		"another SA to send":  {&two, Options{Socket: true}},
		"needs both":          {&bad, Options{}},
		"the file has 2 peer": {&three[0], Options{Socket: true, Peer: netip.MustParseAddrPort("192.0.2.1:4500")}},
	} {
		if c.options.Store == nil {
			c.options.Store = seqstore.InMemory()
		}
		peers, err := Open(e, c.file, c.options)
		if err == nil {
			_ = peers.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestLongestPrefixFindsThePeer has networks inside each other.
func TestLongestPrefixFindsThePeer(t *testing.T) {
	var r routes
	peers := map[string]*Peer{}
	for _, network := range []string{"0.0.0.0/0", "10.0.0.0/8", "10.9.0.0/16", "10.9.0.7/32", "fd00::/8"} {
		peers[network] = &Peer{name: network}
		r.add(netip.MustParsePrefix(network), peers[network])
	}
	r.add(netip.MustParsePrefix("10.9.0.7/32"), &Peer{name: "second"})
	r.sort()
	for addr, want := range map[string]string{
		"10.9.0.7": "10.9.0.7/32", "10.9.0.8": "10.9.0.0/16", "10.1.1.1": "10.0.0.0/8", "9.9.9.9": "0.0.0.0/0", "fd00::1": "fd00::/8",
	} {
		if got := r.find(netip.MustParseAddr(addr)); got != peers[want] {
			t.Errorf("%s is behind %+v, want %s", addr, got, want)
		}
	}
	if got := r.find(netip.MustParseAddr("2001:db8::1")); got != nil {
		t.Errorf("2001:db8::1 is behind %s", got.name)
	}
}

// TestLoopsAllocateNothing carries packets through a gateway, and counts.
func TestLoopsAllocateNothing(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, right := memory.Pair(256, 1600)
	plain, inner := memory.Pair(256, mtu)
	peers, err := Open(e, &sas[0], Options{Store: seqstore.InMemory()})
	must(t, err)
	defer peers.Close()
	g := New(Config{Engine: e, Plain: inner, Link: OnPort(left), Peers: peers, MTU: mtu, Log: slog.New(slog.DiscardHandler), Count: &tunnel.Counters{}})
	o := newOutward(g)
	burst, got := port.NewBurst(32, mtu), port.NewBurst(64, 1600)
	allocated := testing.AllocsPerRun(50, func() {
		for i := range burst {
			port.Put(&burst[i], fixed[:])
		}
		_, err := plain.Send(burst)
		must(t, err)
		n, err := g.Plain.Receive(o.burst[:])
		must(t, err)
		must(t, o.carry(n))
		_, err = right.Receive(got)
		must(t, err)
	})
	if allocated > 0 {
		t.Errorf("%v allocations a burst", allocated)
	}
}

var fixed = [100]byte{0x45, 0, 0, 100, 0, 1, 0x40, 0, 64, 253, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2}

// TestWhatTheLinkRefusesIsCounted has a link that takes no packet.
func TestWhatTheLinkRefusesIsCounted(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	left, _ := memory.Pair(256, 1600)
	g := launch(t, e, &sas[0], OnPort(refusing{left}), Options{})
	g.put(pack(1, 2, 1, 100), pack(1, 2, 2, 100))
	eventually(t, "both are counted", func() bool { return g.Count.Out.Flow().Drops["failed"] == 2 })
	if out := g.Count.Out.Flow(); out.Packets != 0 || out.Bytes != 0 {
		t.Errorf("%+v left", out)
	}
}

// refusing is a port that sends nothing.
type refusing struct{ port.Port }

func (refusing) Send(burst []record.Datagram) (int, error) {
	for i := range burst {
		burst[i].Drop = record.DropMalformed
	}
	return 0, nil
}

func TestFailingSideIsNamed(t *testing.T) {
	e, sas := newEngine(t), files(t, outside...)
	broken := errors.New("broken")
	g := launch(t, e, &sas[0], OnPort(failing{broken}), Options{})
	g.wait(broken)
}

// failing is a port that is broken.
type failing struct{ err error }

func (f failing) Receive([]record.Datagram) (int, error) { return 0, f.err }
func (f failing) Send([]record.Datagram) (int, error)    { return 0, f.err }
func (f failing) Close() error                           { return nil }
