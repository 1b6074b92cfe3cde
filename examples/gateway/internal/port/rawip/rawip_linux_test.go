package rawip_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/rawip"
	"github.com/sealburst/sealburst/record"
)

var _ port.Port = (*rawip.Port)(nil)

const experimental = 253 // RFC 3692: the system has no use for it

func open(t *testing.T, address string) *rawip.Port {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("raw sockets need root")
	}
	p, err := rawip.Open(netip.MustParseAddr(address), experimental)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestBurstBetweenTwoAddresses sends whole packets and compares what comes; the system
// fills in checksum and identification.
func TestBurstBetweenTwoAddresses(t *testing.T) {
	a, b := open(t, "127.0.0.81"), open(t, "127.0.0.82")
	burst := port.NewBurst(100, 1600)
	for i := range burst {
		p := make([]byte, 21+i*10)
		copy(p, []byte{0x45, 0, byte(len(p) >> 8), byte(len(p)), 0, byte(i + 1), 0x40, 0, 64, experimental, 0, 0, 127, 0, 0, 81, 127, 0, 0, 82})
		p[20] = byte(i)
		port.Put(&burst[i], p)
	}
	burst[50].Drop = record.DropReplayed
	if n, err := a.Send(burst); n != 99 || err != nil {
		t.Fatalf("sent %d, %v", n, err)
	}
	patience := time.AfterFunc(time.Minute, func() { b.Close() })
	defer patience.Stop()
	got, bursts := port.NewBurst(port.MaxBurst, 1600), 0
	for next := 0; next < 100; bursts++ {
		n, err := b.Receive(got)
		if err != nil {
			t.Fatalf("at packet %d: %v", next, err)
		}
		for i := range n {
			if next == 50 {
				next++
			}
			p, want := got[i].Content(), burst[next].Content()
			if len(p) != len(want) || string(p[:10]) != string(want[:10]) || string(p[12:]) != string(want[12:]) {
				t.Fatalf("packet %d is\n% x, want\n% x", next, p, want)
			}
			next++
		}
	}
	if bursts > 20 {
		t.Errorf("99 packets came in %d bursts", bursts)
	}
}

func TestWhatIsTooLongOrNoPacketIsLost(t *testing.T) {
	a := open(t, "127.0.0.81")
	burst := port.NewBurst(4, 1<<17)
	port.Put(&burst[0], make([]byte, 70000))
	port.Put(&burst[1], []byte{0x45})
	port.Put(&burst[2], []byte{0x45, 0, 0, 21, 0, 1, 0, 0, 64, experimental, 0, 0, 127, 0, 0, 81, 127, 0, 0, 82, 1})
	port.Put(&burst[3], append([]byte{0x65, 0, 0, 0, 0, 0, 59, 64, 15: 1, 16: 127, 19: 82}, make([]byte, 20)...)) // an IPv6 header
	if n, err := a.Send(burst); n != 1 || err != nil || burst[1].Drop != record.DropMalformed || burst[3].Drop != record.DropMalformed {
		t.Errorf("sent %d, %v, drops %v and %v; want the third one, and two that are no IPv4", n, err, burst[1].Drop, burst[3].Drop)
	}
}

func TestLongPacketIsCutAndDropped(t *testing.T) {
	a, b := open(t, "127.0.0.81"), open(t, "127.0.0.82")
	burst := port.NewBurst(1, 1000)
	p := make([]byte, 1000)
	copy(p, []byte{0x45, 0, 3, 0xe8, 0, 1, 0, 0, 64, experimental, 0, 0, 127, 0, 0, 81, 127, 0, 0, 82})
	port.Put(&burst[0], p)
	if n, err := a.Send(burst); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	small := port.NewBurst(1, 100)
	if n, err := b.Receive(small); n != 1 || err != nil || small[0].Drop != record.DropTooLong {
		t.Errorf("%d, %v, %v", n, err, small[0].Drop)
	}
}

func TestCloseWakes(t *testing.T) {
	a := open(t, "127.0.0.83")
	time.AfterFunc(20*time.Millisecond, func() { a.Close() })
	if _, err := a.Receive(port.NewBurst(1, 100)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestBadAddresses(t *testing.T) {
	if _, err := rawip.Open(netip.MustParseAddr("::1"), experimental); !errors.Is(err, rawip.ErrAddress) {
		t.Errorf("%v, want ErrAddress", err)
	}
	if os.Getuid() == 0 {
		if _, err := rawip.Open(netip.MustParseAddr("192.0.2.77"), experimental); err == nil {
			t.Error("took an address of another machine")
		}
	}
}
