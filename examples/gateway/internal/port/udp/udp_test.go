package udp_test

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
	"github.com/sealburst/sealburst/record"
)

var _ port.Port = (*udp.Port)(nil)

// pair is two ports that are connected to each other.
func pair(t *testing.T) (a, b *udp.Port) {
	t.Helper()
	at := fmt.Sprintf("127.0.0.1:%d", peertest.FreePort(t))
	right, err := udp.Dial("127.0.0.1:0", at)
	if err != nil {
		t.Fatal(err)
	}
	left, err := udp.Dial(at, right.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	return open(t, left), open(t, right)
}

func open(t *testing.T, conn *net.UDPConn) *udp.Port {
	t.Helper()
	p, err := udp.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// sizes are the lengths of packets in a burst: runs of one length, which the
// kernel may join, and changes between them.
var sizes = []int{1200, 1200, 1200, 700, 1200, 1, 1400, 1400, 1400, 1400, 64, 64}

func TestBurstArrivesWhole(t *testing.T) {
	a, b := pair(t)
	burst := port.NewBurst(len(sizes), 2000)
	for i, size := range sizes {
		packet := make([]byte, size)
		copy(packet, fmt.Sprint(i))
		port.Put(&burst[i], packet)
	}
	burst[4].Drop = record.DropReplayed
	if n, err := a.Send(burst); n != len(sizes)-1 || err != nil {
		t.Fatal(n, err)
	}
	timeout := time.AfterFunc(time.Minute, func() { b.Close() })
	defer timeout.Stop()
	in := port.NewBurst(4, 2000)
	for i := 0; i < len(sizes); {
		n, err := b.Receive(in)
		if err != nil {
			t.Fatalf("after %d packets: %v", i, err)
		}
		for j := range n {
			if i == 4 {
				i++
			}
			if got := in[j].Content(); string(got) != string(burst[i].Content()) {
				t.Fatalf("packet %d: %d bytes, want %d", i, len(got), sizes[i])
			}
			i++
		}
	}
}

func TestPeerThatIsNotThereYet(t *testing.T) {
	a, b := pair(t)
	b.Close()
	burst := port.NewBurst(1, 100)
	port.Put(&burst[0], []byte("into the void"))
	for range 5 { // the second one meets the ICMP error of the first
		if _, err := a.Send(burst); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestTooLongForUDPIsLost(t *testing.T) {
	a, _ := pair(t)
	burst := port.NewBurst(2, 1<<17)
	port.Put(&burst[0], make([]byte, 70000))
	port.Put(&burst[1], []byte("short"))
	if n, err := a.Send(burst); n != 1 || err != nil {
		t.Errorf("sent %d, %v; want the short one", n, err)
	}
}

func TestBadAddresses(t *testing.T) {
	if _, err := udp.Listen("no such address"); err == nil {
		t.Error("Listen took it")
	}
	if _, err := udp.Dial("", "no such address"); err == nil {
		t.Error("Dial took it")
	}
	if _, err := udp.Dial("192.0.2.77:1", "127.0.0.1:9"); err == nil {
		t.Error("Dial took a local address of another machine")
	}
}
