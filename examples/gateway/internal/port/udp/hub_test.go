package udp_test

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"github.com/sealburst/sealburst/record"
)

func hub(t *testing.T) (*udp.Hub, netip.AddrPort) {
	t.Helper()
	socket, err := udp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h, err := udp.NewHub(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, h.Addr().(*net.UDPAddr).AddrPort()
}

// TestHubServesManyPeers sends one burst to two peers, with one datagram that is dropped
// and one that no system takes, and hears an answer of each peer.
func TestHubServesManyPeers(t *testing.T) {
	h, at := hub(t)
	peers := map[netip.AddrPort]*udp.Hub{}
	var ends []netip.AddrPort
	for range 2 {
		p, end := hub(t)
		peers[end] = p
		ends = append(ends, end)
	}
	burst, to := port.NewBurst(5, 1<<17), []netip.AddrPort{ends[0], ends[1], ends[0], ends[1], ends[0]}
	for i := range burst {
		port.Put(&burst[i], []byte{byte(i), byte(i)})
	}
	burst[1].Drop = record.DropReplayed
	port.Put(&burst[2], make([]byte, 70000))
	if n, err := h.Send(burst, to); n != 3 || err != nil {
		t.Fatalf("sent %d, %v; want 3", n, err)
	}
	patience := time.AfterFunc(time.Minute, func() { h.Close() })
	defer patience.Stop()
	in, from := port.NewBurst(8, 100), make([]netip.AddrPort, 8)
	for end, want := range map[netip.AddrPort][]byte{ends[0]: {0, 4}, ends[1]: {3}} {
		var got []byte
		for len(got) < len(want) {
			n, err := peers[end].Receive(in, from)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				got = append(got, in[i].Content()[0])
				if from[i] != at {
					t.Errorf("a datagram is from %v, want %v", from[i], at)
				}
			}
		}
		if string(got) != string(want) {
			t.Errorf("the peer got %v, want %v", got, want)
		}
		answer := port.NewBurst(1, 10)
		port.Put(&answer[0], []byte("answer"))
		if _, err := peers[end].Send(answer, []netip.AddrPort{at}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Receive(in, from); err != nil || from[0] != end || string(in[0].Content()) != "answer" {
			t.Errorf("%q from %v, %v; want an answer of %v", in[0].Content(), from[0], err, end)
		}
	}
}

// TestHubLosesWhatItsSocketCannotAddress has peers with addresses of another kind than the
// socket's, or none, among good ones.
func TestHubLosesWhatItsSocketCannotAddress(t *testing.T) {
	h, _ := hub(t)
	_, end := hub(t)
	burst := port.NewBurst(5, 100)
	for i := range burst {
		port.Put(&burst[i], []byte{byte(i)})
	}
	if n, err := h.Send(burst, []netip.AddrPort{{}, end, netip.MustParseAddrPort("[::1]:4500"), end, {}}); n != 2 || err != nil {
		t.Errorf("sent %d, %v; want 2", n, err)
	}
}
