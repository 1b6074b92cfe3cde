package dtlsadapter

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

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
	must(t, c.SetReadDeadline(time.Now().Add(long)))
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
			must(t, c.SetReadDeadline(time.Now().Add(long)))
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
