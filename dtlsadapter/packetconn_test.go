package dtlsadapter

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/sealburst/sealburst/record"
)

// TestPacketConnTellsPeersApart sends one burst to two peers, and hears both answer.
func TestPacketConnTellsPeersApart(t *testing.T) {
	hub, err := BatchPackets(loopback(t, "udp4"))
	must(t, err)
	a, b := loopback(t, "udp4"), loopback(t, "udp4")
	ends := []netip.AddrPort{a.LocalAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort(), b.LocalAddr().(interface{ AddrPort() netip.AddrPort }).AddrPort()}
	n, err := hub.WriteBatchTo([][]byte{[]byte("one"), []byte("two"), []byte("six")}, []netip.AddrPort{ends[0], ends[1], ends[0]})
	must(t, err)
	if n != 3 {
		t.Fatalf("%d datagrams sent, want 3", n)
	}
	heard := map[netip.AddrPort]string{}
	buf := make([]byte, 10)
	for i, peer := range []interface {
		ReadFromUDPAddrPort([]byte) (int, netip.AddrPort, error)
		WriteToUDPAddrPort([]byte, netip.AddrPort) (int, error)
		SetReadDeadline(time.Time) error
	}{a, b, a} {
		must(t, peer.SetReadDeadline(time.Now().Add(long)))
		n, from, err := peer.ReadFromUDPAddrPort(buf)
		must(t, err)
		heard[ends[i%2]] += string(buf[:n])
		_, err = peer.WriteToUDPAddrPort(fmt.Appendf(nil, "%d", i), from)
		must(t, err)
	}
	if heard[ends[0]] != "onesix" || heard[ends[1]] != "two" {
		t.Errorf("heard %v", heard)
	}
	must(t, hub.SetReadDeadline(time.Now().Add(long)))
	burst, from := make([]record.Datagram, 4), make([]netip.AddrPort, 4)
	for got := 0; got < 3; {
		n, err := hub.ReadBatchFrom(burst, from)
		must(t, err)
		for i := range n {
			if want := ends[int(burst[i].Content()[0]-'0')%2]; from[i] != want {
				t.Errorf("%q came from %v, want %v", burst[i].Content(), from[i], want)
			}
		}
		got += n
	}
}

func TestPacketConnRefusesOtherSockets(t *testing.T) {
	for _, c := range []*net.UDPConn{dial(t, loopback(t, "udp4").LocalAddr()), nil} {
		_, err := BatchPackets(c)
		wantField(t, err, "c")
	}
}

// wantField wants a FieldError of that field.
func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var refused *FieldError
	if !errors.As(err, &refused) || refused.Field != field || !errors.Is(err, ErrConfig) {
		t.Errorf("error %v, want a FieldError of %s", err, field)
	}
}

// TestPacketConnRefusesSlicesOfOtherLengths before anything is read or sent.
func TestPacketConnRefusesSlicesOfOtherLengths(t *testing.T) {
	socket := loopback(t, "udp4")
	hub, err := BatchPackets(socket)
	must(t, err)
	own := socket.LocalAddr().(*net.UDPAddr).AddrPort()
	datagrams := [][]byte{{1}, {2}}
	for _, to := range [][]netip.AddrPort{nil, {own}, {own, own, own}} {
		n, err := hub.WriteBatchTo(datagrams, to)
		wantField(t, err, "to")
		if n != 0 {
			t.Errorf("%d sent to %d addresses", n, len(to))
		}
	}
	_, err = hub.WriteBatchTo(datagrams, []netip.AddrPort{own, own})
	must(t, err)
	must(t, hub.SetReadDeadline(time.Now().Add(long)))
	for _, from := range []int{0, 1, 3} {
		_, err := hub.ReadBatchFrom(make([]record.Datagram, 2), make([]netip.AddrPort, from))
		wantField(t, err, "from")
	}
	_, err = hub.ReadBatchFrom(nil, nil)
	wantField(t, err, "burst")
	var got []byte
	for len(got) < 2 {
		burst := make([]record.Datagram, 2)
		n, err := hub.ReadBatchFrom(burst, make([]netip.AddrPort, 2))
		must(t, err)
		for i := range n {
			got = append(got, burst[i].Content()...)
		}
	}
	if string(got) != "\x01\x02" {
		t.Errorf("read %x: the first datagrams are not those that were sent first", got)
	}
}

// TestPacketConnRefusesOtherAddresses has an address of another kind among good ones.
func TestPacketConnRefusesOtherAddresses(t *testing.T) {
	hub, err := BatchPackets(loopback(t, "udp4"))
	must(t, err)
	good := loopback(t, "udp4").LocalAddr().(*net.UDPAddr).AddrPort()
	mapped := netip.AddrPortFrom(netip.AddrFrom16(good.Addr().As16()), good.Port())
	for _, other := range []netip.AddrPort{{}, netip.MustParseAddrPort("[::1]:4500")} {
		datagrams := [][]byte{{1}, {2}, {3}, {4}}
		if n, err := hub.WriteBatchTo(datagrams, []netip.AddrPort{good, mapped, other, good}); n != 2 || err == nil {
			t.Errorf("%v: %d sent, %v; want 2 and an error", other, n, err)
		}
	}
}
