//go:build dpdk

package dpdk_test

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

var _ port.Port = (*dpdk.Port)(nil)

// packet is an IPv4 packet with a number in it.
func packet(number, length int) []byte {
	p := make([]byte, length)
	copy(p, []byte{0x45, 0, byte(length >> 8), byte(length), 0, byte(number), 0, 0, 64, 253, 0, 0, 10, 0, 0, 2, 10, 0, 0, 9})
	return p
}

// TestPortOnARing receives what it sends: a ring of DPDK's gives back what it was sent.
func TestPortOnARing(t *testing.T) {
	started(t)
	p, err := dpdk.OpenPort("net_ring7@10.0.0.1/24", mtu)
	if err != nil {
		t.Fatal(err)
	}
	burst := port.NewBurst(3, mtu)
	port.Put(&burst[0], packet(0, 100))
	if n, err := p.Send(burst[:1]); n != 0 || err != nil || burst[0].Drop != record.DropUnknownSession {
		t.Errorf("to a host that nobody has seen: %d, %v, %v", n, err, burst[0].Drop)
	}
	received := make(chan error)
	go func() { // it sees its own question for the neighbour, and waits
		_, err := p.Receive(port.NewBurst(port.MaxBurst, mtu))
		received <- err
	}()
	time.Sleep(50 * time.Millisecond)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-received; !errors.Is(err, net.ErrClosed) {
		t.Errorf("who receives hears %v", err)
	}
	if _, err := p.Send(burst); !errors.Is(err, net.ErrClosed) {
		t.Errorf("who sends hears %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestPortOfACapture receives its packets.
func TestPortOfACapture(t *testing.T) {
	started(t)
	p, err := dpdk.OpenPort("net_pcap5,rx_pcap=testdata/packets.pcap,tx_pcap=/dev/null", mtu)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	burst := port.NewBurst(2, mtu)
	for next := 0; next < 3; {
		n, err := p.Receive(burst)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if !bytes.Equal(burst[i].Content(), packet(next, 50+next)) {
				t.Errorf("packet %d: %x, %v", next, burst[i].Content(), burst[i].Drop)
			}
			next++
		}
	}
}

func TestBadPorts(t *testing.T) {
	started(t)
	for spec, want := range map[string]string{"net_ring8@x": "no address", "net_nonsense1@10.0.0.1/8": "net_nonsense1"} {
		if _, err := dpdk.OpenPort(spec, mtu); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
}
