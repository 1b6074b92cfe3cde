package dtlsadapter

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
	"github.com/sealburst/sealburst/record"
)

func loopback(t testing.TB, network string) *net.UDPConn {
	t.Helper()
	ip := net.IPv4(127, 0, 0, 1)
	if network == "udp6" {
		ip = net.IPv6loopback
	}
	c, err := net.ListenUDP(network, &net.UDPAddr{IP: ip})
	if err != nil {
		t.Fatalf("loopback of %s: %v", network, err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func dial(t testing.TB, to net.Addr) *net.UDPConn {
	t.Helper()
	c, err := net.DialUDP("udp", nil, to.(*net.UDPAddr))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// receiveAll reads datagrams in bursts until it has n.
func receiveAll(t *testing.T, c *net.UDPConn, s *socket, n int) (datagrams [][]byte, from []netip.AddrPort) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
	burst, addresses := make([]record.Datagram, 7), make([]netip.AddrPort, 7)
	for len(datagrams) < n {
		got, err := s.read(burst, addresses)
		must(t, err)
		for i := range burst[:got] {
			datagrams = append(datagrams, bytes.Clone(burst[i].Content()))
			from = append(from, addresses[i])
		}
	}
	return datagrams, from
}

// TestSocketKeepsDatagramsApart sends bursts of every mix of lengths, which the
// kernel segments and puts together as it likes.
func TestSocketKeepsDatagramsApart(t *testing.T) {
	mixes := [][]int{{1}, {100, 100, 100}, {100, 100, 40}, {100, 40, 100, 100}, {40, 100, 100, 7, 7, 7}, {1200, 1200, 1200, 1200, 1, 1200}, {9000, 9000}}
	many := make([]int, 200)
	for i := range many {
		many[i] = 1000 + i/90
	}
	mixes = append(mixes, many)
	for _, network := range []string{"udp4", "udp6"} {
		server := loopback(t, network)
		in, err := newSocket(server, false)
		must(t, err)
		client := dial(t, server.LocalAddr())
		out, err := newSocket(client, true)
		must(t, err)
		for _, mix := range mixes {
			var sent [][]byte
			for i, n := range mix {
				sent = append(sent, bytes.Repeat([]byte{byte(i + 1)}, n))
			}
			n, err := out.write(sent, destinations{})
			must(t, err)
			if n != len(sent) {
				t.Fatalf("sent %d of %d", n, len(sent))
			}
			got, from := receiveAll(t, server, in, len(sent))
			for i := range sent {
				if !bytes.Equal(got[i], sent[i]) {
					t.Fatalf("%s, mix %v: datagram %d has %d bytes", network, mix, i, len(got[i]))
				}
				if want := client.LocalAddr().(*net.UDPAddr).AddrPort(); from[i] != netip.AddrPortFrom(want.Addr().Unmap(), want.Port()) {
					t.Fatalf("datagram from %v, want %v", from[i], want)
				}
			}
		}
	}
}

// TestSocketSendsToMany sends one burst to several addresses in turn.
func TestSocketSendsToMany(t *testing.T) {
	for _, network := range []string{"udp4", "udp6", "udp"} {
		from := loopback(t, network)
		if network == "udp" {
			c, err := net.ListenUDP("udp", &net.UDPAddr{}) // an IPv6 socket that sends to IPv4 addresses
			must(t, err)
			t.Cleanup(func() { _ = c.Close() })
			from = c
		}
		out, err := newSocket(from, false)
		must(t, err)
		var receivers []*net.UDPConn
		var datagrams [][]byte
		var to []netip.AddrPort
		for range 3 {
			target := network
			if network == "udp" {
				target = "udp4"
			}
			receivers = append(receivers, loopback(t, target))
		}
		for i := range 100 {
			datagrams = append(datagrams, fmt.Append(nil, "datagram ", i))
			to = append(to, receivers[i/2%3].LocalAddr().(*net.UDPAddr).AddrPort())
		}
		n, err := out.write(datagrams, destinations{each: to})
		must(t, err)
		if n != len(datagrams) {
			t.Fatalf("sent %d", n)
		}
		for r, c := range receivers {
			must(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
			buffer := make([]byte, 100)
			for i := range datagrams {
				if i/2%3 != r {
					continue
				}
				n, err := c.Read(buffer)
				must(t, err)
				if string(buffer[:n]) != string(datagrams[i]) {
					t.Fatalf("receiver %d got %q, want %q", r, buffer[:n], datagrams[i])
				}
			}
		}
	}
}

// udpPair is a pair over loopback, the server through a Listener.
func udpPair(t testing.TB) (client, server *Conn, l *Listener) {
	t.Helper()
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	l, err := Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, sc, e)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	client, err = Client(patience(t), dial(t, l.Addr()), cc, e)
	must(t, err)
	t.Cleanup(func() { _ = client.Close() })
	server, err = l.AcceptConn()
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	return client, server, l
}

// TestBurstsReachTheEngine counts how many records of real sockets come to it together.
func TestBurstsReachTheEngine(t *testing.T) {
	client, server, _ := udpPair(t)
	payloads, bufs, sizes := make([][]byte, 32), make([][]byte, 64), make([]int, 64)
	for i := range payloads {
		payloads[i] = payloadOf(1000)
	}
	for i := range bufs {
		bufs[i] = make([]byte, 2000)
	}
	for range 50 {
		n, err := client.WriteBurst(payloads)
		must(t, err)
		if n != len(payloads) {
			t.Fatalf("sent %d", n)
		}
		must(t, server.SetReadDeadline(time.Now().Add(5*time.Second)))
		for got := 0; got < n; {
			m, err := server.ReadBurst(bufs, sizes)
			must(t, err)
			for i := range m {
				if !bytes.Equal(bufs[i][:sizes[i]], payloads[0]) {
					t.Fatal("another payload arrived")
				}
			}
			got += m
		}
	}
	sent, received := client.Stats().Sent, server.Stats().Received
	seal, open := client.plan.engine.Stats().Seal, client.plan.engine.Stats().Open
	t.Logf("mean burst: sealed %.1f, opened %.1f; at the engine %.1f and %.1f",
		sent.MeanBurst(), received.MeanBurst(), seal.MeanBurst(), open.MeanBurst())
	if sent.MeanBurst() < 16 {
		t.Errorf("mean burst sealed %.1f", sent.MeanBurst())
	}
	if runtime.GOOS == "linux" && received.MeanBurst() < 2 {
		t.Errorf("mean burst opened %.1f", received.MeanBurst())
	}
}

// TestDataPathAllocatesNothing counts over real sockets, with everything that runs.
func TestDataPathAllocatesNothing(t *testing.T) {
	client, server, _ := udpPair(t)
	payloads, bufs, sizes := make([][]byte, 16), make([][]byte, 64), make([]int, 64)
	for i := range payloads {
		payloads[i] = payloadOf(1000)
	}
	for i := range bufs {
		bufs[i] = make([]byte, 2000)
	}
	round := func() {
		if _, err := client.WriteBurst(payloads); err != nil {
			t.Fatal(err)
		}
		for got := 0; got < len(payloads); {
			n, err := server.ReadBurst(bufs, sizes)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	for range 20 {
		round()
	}
	if n := testing.AllocsPerRun(200, round); n != 0 && !race.Uncounted {
		t.Errorf("%v allocations for %d records", n, len(payloads))
	}
}

// TestUDPErrorsAreNotFatal: a peer that is not there yet makes the socket report
// ICMP errors, which the handshake outlives.
func TestUDPErrorsAreNotFatal(t *testing.T) {
	address := loopback(t, "udp4")
	to := address.LocalAddr().(*net.UDPAddr)
	must(t, address.Close())
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	cc.FlightInterval = 50 * time.Millisecond
	listening := make(chan *Listener, 1)
	time.AfterFunc(180*time.Millisecond, func() {
		l, err := Listen("udp", to, sc, e)
		if err != nil {
			t.Error(err)
		}
		listening <- l
	})
	client, err := Client(patience(t), dial(t, to), cc, e)
	must(t, err)
	l := <-listening
	server, err := l.AcceptConn()
	must(t, err)
	exchange(t, client, server)
	must(t, client.Close())
	must(t, server.Close())
	must(t, l.Close())
}
