package afpacket_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/afpacket"
	"github.com/sealburst/sealburst/record"
	"github.com/vishvananda/netlink"
)

var _ port.Port = (*afpacket.Port)(nil)

// cable makes two Ethernet interfaces that are joined, without addresses.
func cable(t *testing.T) (a, b string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("making network interfaces needs root")
	}
	a, b = fmt.Sprintf("sba%d", os.Getpid()), fmt.Sprintf("sbb%d", os.Getpid())
	veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: a}, PeerName: b}
	if err := netlink.LinkAdd(veth); err != nil {
		t.Skip("this machine makes no veth interfaces: ", err)
	}
	t.Cleanup(func() { netlink.LinkDel(veth) })
	for _, name := range []string{a, b} {
		link, err := netlink.LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := netlink.LinkSetUp(link); err != nil {
			t.Fatal(err)
		}
	}
	await(t, a)
	await(t, b)
	return a, b
}

// await waits until an interface has its carrier.
func await(t *testing.T, name string) {
	t.Helper()
	for range 200 {
		link, err := netlink.LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if link.Attrs().OperState == netlink.OperUp {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not come up", name)
}

func open(t *testing.T, name string) *afpacket.Port {
	t.Helper()
	p, err := afpacket.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// packet is an IPv4 packet between two hosts, with a number in it.
func packet(number int, from, to byte) []byte {
	p := make([]byte, 60+number)
	copy(p, []byte{0x45, 0, 0, byte(len(p)), 0, byte(number), 0, 0, 64, 253, 0, 0, 198, 18, 0, from, 198, 18, 0, to})
	return p
}

func send(t *testing.T, p *afpacket.Port, from, to byte) {
	t.Helper()
	burst := port.NewBurst(100, 200)
	for i := range burst {
		port.Put(&burst[i], packet(i, from, to))
	}
	burst[50].Drop = record.DropReplayed
	if n, err := p.Send(burst); n != 99 || err != nil {
		t.Fatalf("sent %d, %v", n, err)
	}
}

// collect receives until all packets of send have come; the system's own are passed over.
func collect(t *testing.T, p *afpacket.Port, from, to byte) (bursts int) {
	t.Helper()
	timeout := time.AfterFunc(time.Minute, func() { p.Close() })
	defer timeout.Stop()
	burst := port.NewBurst(port.MaxBurst, 2000)
	for next := 0; next < 100; bursts++ {
		n, err := p.Receive(burst)
		if err != nil {
			t.Fatalf("at packet %d: %v", next, err)
		}
		for i := range n {
			got := burst[i].Content()
			if got[0]>>4 != 4 || got[9] != 253 {
				continue
			}
			if next == 50 {
				next++
			}
			if string(got) != string(packet(next, from, to)) {
				t.Fatalf("packet %d differs", next)
			}
			next++
		}
	}
	return bursts
}

func TestBurstsThroughACable(t *testing.T) {
	nameA, nameB := cable(t)
	a, b := open(t, nameA), open(t, nameB)
	send(t, a, 1, 2) // to all: nobody has been seen yet
	if bursts := collect(t, b, 1, 2); bursts > 20 {
		t.Errorf("100 packets came in %d bursts", bursts)
	}
	send(t, b, 2, 1) // to the hardware address that the first ones came from
	collect(t, a, 2, 1)
}

func TestCloseWakes(t *testing.T) {
	name, _ := cable(t)
	p := open(t, name)
	time.AfterFunc(20*time.Millisecond, func() { p.Close() })
	for {
		if _, err := p.Receive(port.NewBurst(4, 2000)); err != nil {
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("%v, want net.ErrClosed", err)
			}
			return
		}
	}
}

func TestInterfaceThatIsNotThere(t *testing.T) {
	if _, err := afpacket.Open("no-such-face"); err == nil || !strings.Contains(err.Error(), "no-such-face") {
		t.Errorf("%v: does not name the interface", err)
	}
}

func TestMissingPrivilegeIsNamed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root lacks no privilege")
	}
	faces, err := net.Interfaces()
	if err != nil || len(faces) == 0 {
		t.Skip("the machine shows no network interface")
	}
	if _, err := afpacket.Open(faces[0].Name); err == nil || !strings.Contains(err.Error(), "CAP_NET_RAW") {
		t.Errorf("%v: does not name the privilege", err)
	}
}
