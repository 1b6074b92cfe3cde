package dtlsadapter

import (
	"bytes"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

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

// TestBurstsReachTheEngine counts how many records of real sockets come to it together,
// when its reader is late: after one look at the socket it waits for the listener's lock.
func TestBurstsReachTheEngine(t *testing.T) {
	client, server, l := udpPair(t)
	payloads, bufs, sizes := make([][]byte, 32), make([][]byte, 64), make([]int, 64)
	for i := range payloads {
		payloads[i] = payloadOf(1000)
	}
	for i := range bufs {
		bufs[i] = make([]byte, 2000)
	}
	for range 50 {
		l.mu.Lock()
		n, err := client.WriteBurst(payloads)
		l.mu.Unlock()
		must(t, err)
		if n != len(payloads) {
			t.Fatalf("sent %d", n)
		}
		must(t, server.SetReadDeadline(time.Now().Add(long)))
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
	to := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: peertest.FreePort(t)}
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	cc.FlightInterval = 50 * time.Millisecond
	listening := make(chan *Listener, 1)
	time.AfterFunc(180*time.Millisecond, func() {
		defer close(listening)
		if l, err := Listen("udp", to, sc, e); err != nil {
			t.Error(err)
		} else {
			listening <- l
		}
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
