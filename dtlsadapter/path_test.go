package dtlsadapter

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// bothHalves are both halves of an epoch, and an oracle for it.
type bothHalves struct {
	out    *Outbound
	in     *Inbound
	oracle *oracle
	next   uint64
}

// newHalves makes one for each suite, over and over, with keys of its own.
func newHalves(t *testing.T, n int) (*Path, []*bothHalves) {
	t.Helper()
	e := newEngine(t)
	all := make([]*bothHalves, n)
	for i := range all {
		s := &suites[i%len(suites)]
		k := Keys{
			Suite: s.id, Epoch: 1,
			Key: bytes.Repeat([]byte{byte(i + 1)}, s.algorithm.KeySize()), IV: bytes.Repeat([]byte{byte(i)}, s.ivSize()),
		}
		out, err := NewOutbound(e, k)
		must(t, err)
		in, err := NewInbound(e, k, 0)
		must(t, err)
		t.Cleanup(func() { out.Close(); in.Close() })
		all[i] = &bothHalves{out: out, in: in, oracle: newOracle(t, s, k.Key, k.IV)}
	}
	return NewPath(e), all
}

// pathOrder is which half each of 130 datagrams belongs to: runs, and single ones.
func pathOrder(i, halves int) int {
	if i < 40 {
		return 0
	}
	return i * 7 % halves
}

func TestPathSealsForManyHalves(t *testing.T) {
	path, halves := newHalves(t, 9)
	burst, by := make([]record.Datagram, 130), make([]*Outbound, 130)
	for i := range burst {
		burst[i] = record.Datagram{Buf: make([]byte, Headroom+i+Tailroom), Off: Headroom, Len: i}
		for at := range i {
			burst[i].Buf[Headroom+at] = byte(i + at)
		}
		by[i] = halves[pathOrder(i, len(halves))].out
	}
	burst[5].Drop, by[6] = record.DropReplayed, nil
	burst[50].Off = 0 // no room
	if n := path.Protect(burst, by); n != 127 {
		t.Fatalf("sealed %d", n)
	}
	for i := range burst {
		d, h := &burst[i], halves[pathOrder(i, len(halves))]
		switch {
		case i == 5 && d.Drop == record.DropReplayed, i == 6 && d.Drop == record.DropNone, i == 50 && d.Drop == record.DropHeadroom:
			continue
		case d.Drop != record.DropNone:
			t.Fatalf("%d: %v", i, d.Drop)
		}
		rec := d.Content()
		if n := binary.BigEndian.Uint64(rec[3:]) & sequences; n != h.next {
			t.Errorf("%d: number %d, want %d", i, n, h.next)
		}
		h.next++
		plain, err := h.oracle.open(rec)
		if err != nil || len(plain) != i || i > 0 && (plain[0] != byte(i) || plain[i-1] != byte(2*i-1)) {
			t.Errorf("%d: %x, %v", i, plain, err)
		}
	}
}

func TestPathOpensForManyHalves(t *testing.T) {
	path, halves := newHalves(t, 9)
	burst, by := make([]record.Datagram, 130), make([]*Inbound, 130)
	for i := range burst {
		h := halves[pathOrder(i, len(halves))]
		rec := h.oracle.seal(typeApplicationData, 1<<48|h.next, make([]byte, h.oracle.explicit), bytes.Repeat([]byte{byte(i)}, i))
		h.next++
		burst[i], by[i] = record.Datagram{Buf: rec, Len: len(rec)}, h.in
	}
	burst[60].Buf[len(burst[60].Buf)-1] ^= 1
	burst[61].Buf = bytes.Clone(burst[0].Buf) // of another half
	burst[61].Len = len(burst[0].Buf)
	again := record.Datagram{Buf: bytes.Clone(burst[3].Buf), Len: burst[3].Len}
	if n := path.Unprotect(burst, by); n != 128 {
		t.Fatalf("opened %d", n)
	}
	for i := range burst {
		d := &burst[i]
		if i == 60 || i == 61 {
			if d.Drop != record.DropUnauthentic {
				t.Errorf("%d: %v", i, d.Drop)
			}
			continue
		}
		if d.Drop != record.DropNone || !bytes.Equal(d.Content(), bytes.Repeat([]byte{byte(i)}, i)) {
			t.Errorf("%d: %v, %x", i, d.Drop, d.Content())
		}
	}
	if path.Unprotect([]record.Datagram{again}, []*Inbound{halves[0].in}); path.Unprotect([]record.Datagram{again}, []*Inbound{halves[0].in}) != 0 {
		t.Error("a record was opened twice")
	}
}

// TestHalvesBesideTheConnection share its numbers.
func TestHalvesBesideTheConnection(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	cs, ss := clients(t, listen(t, e, sc), e, cc, 1)
	out, _ := cs[0].Halves()
	_, in := ss[0].Halves()
	path := NewPath(e)
	text := func(s string) (d record.Datagram) {
		d = record.Datagram{Buf: make([]byte, 200), Off: Headroom, Len: len(s)}
		copy(d.Buf[Headroom:], s)
		return d
	}
	burst := []record.Datagram{text("one"), text("two")}
	if path.Protect(burst, []*Outbound{out, out}) != 2 {
		t.Fatal(burst[0].Drop)
	}
	buf := make([]byte, 100)
	_, err := cs[0].Write([]byte("three"))
	must(t, err)
	n, err := ss[0].Read(buf)
	must(t, err)
	if got := string(buf[:n]); got != "three" {
		t.Errorf("read %q", got)
	}
	if path.Unprotect(burst, []*Inbound{in, in}) != 2 || string(burst[1].Content()) != "two" {
		t.Errorf("%v, %q", burst[1].Drop, burst[1].Content())
	}
	must(t, cs[0].Close())
	late := []record.Datagram{text("late")}
	if path.Protect(late, []*Outbound{out}) != 0 || late[0].Drop != record.DropClosed {
		t.Errorf("after Close: %v", late[0].Drop)
	}
}

// TestListenOnATransport of the caller's.
func TestListenOnATransport(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	socket, err := BatchPackets(socketOn(t))
	must(t, err)
	l, err := ListenOn(socket, sc, e)
	must(t, err)
	cs, ss := clients(t, l, e, cc, 3)
	for i := range cs {
		_, err := ss[i].Write([]byte{byte(i)})
		must(t, err)
		buf := make([]byte, 10)
		if n, err := cs[i].Read(buf); err != nil || n != 1 || buf[0] != byte(i) {
			t.Errorf("%d: read %x, %v", i, buf[:n], err)
		}
	}
	if n, err := l.WriteBurst(ss, [][]byte{{7}, {8}, {9}}); n != 3 || err != nil {
		t.Errorf("wrote %d, %v", n, err)
	}
	must(t, l.Close())
	if _, err := ListenOn(nil, sc, e); err == nil {
		t.Error("listens on nothing")
	}
}

func socketOn(t testing.TB) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	return c
}
