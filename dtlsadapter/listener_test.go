package dtlsadapter

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
)

func listen(t testing.TB, e *engine.Engine, sc *dtls.Config) *Listener {
	t.Helper()
	return listenFor(t, e, sc, long)
}

// listenFor gives strangers that long for their first reply.
func listenFor(t testing.TB, e *engine.Engine, sc *dtls.Config, reply time.Duration) *Listener {
	t.Helper()
	p, err := newPlan(sc, e)
	must(t, err)
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	_ = conn.SetReadBuffer(listenBuffer) // the kernel grants what it may
	s, err := newSocket(conn, false)
	must(t, err)
	l := newListener(p, conn, s, reply)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// clients connects some to a listener; conns[i] is the server's side of clients[i].
func clients(t testing.TB, l *Listener, e *engine.Engine, cc *dtls.Config, n int) (clients, conns []*Conn) {
	t.Helper()
	for range n {
		c, err := Client(patience(t), dial(t, l.Addr()), cc, e)
		must(t, err)
		s, err := l.AcceptConn()
		must(t, err)
		t.Cleanup(func() { _, _ = c.Close(), s.Close() })
		clients, conns = append(clients, c), append(conns, s)
	}
	return clients, conns
}

func TestManyClientsAtOnce(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	go func() {
		for {
			c, err := l.AcceptConn()
			if err != nil {
				return
			}
			go echo(c)
		}
	}()
	var group sync.WaitGroup
	for i := range 30 {
		u := dial(t, l.Addr())
		group.Go(func() {
			c, err := Client(patience(t), u, cc, e)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for j := range 20 {
				message := fmt.Sprint(i, j)
				if _, err := c.Write([]byte(message)); err != nil {
					t.Error(err)
				}
				buffer := make([]byte, 100)
				_ = c.SetReadDeadline(time.Now().Add(long))
				if n, err := c.Read(buffer); err != nil || string(buffer[:n]) != message {
					t.Errorf("read %q, %v", buffer[:n], err)
				}
			}
		})
	}
	group.Wait()
	wantNoPeers(t, l)
	if s := l.Stats(); s.Accepted != 30 || s.Failed != 0 || s.Shed != 0 {
		t.Errorf("%+v", s)
	}
}

// wantStats waits until a listener's counters are as wanted.
func wantStats(t testing.TB, l *Listener, wanted func(ListenerStats) bool) {
	t.Helper()
	if !comes(func() bool { return wanted(l.Stats()) }) {
		t.Fatalf("%+v", l.Stats())
	}
}

// wantNoPeers waits until the listener has let go of connections that their peers closed.
func wantNoPeers(t testing.TB, l *Listener) {
	t.Helper()
	wantStats(t, l, func(s ListenerStats) bool { return s.Peers == 0 })
}

func echo(c *Conn) {
	defer c.Close()
	buffer := make([]byte, 2000)
	for {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		if _, err := c.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestFailedHandshakeIsNotified with the peer's address and the reason.
func TestFailedHandshakeIsNotified(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	refused := errors.New("no such identity")
	sc.PSK = func([]byte) ([]byte, error) { return nil, refused }
	l := listen(t, e, sc)
	type failure struct {
		peer net.Addr
		err  error
	}
	told := make(chan failure, 2)
	l.NotifyFailed(func(peer net.Addr, err error) { told <- failure{peer, err} })
	u := dial(t, l.Addr())
	local := u.LocalAddr().String()
	_, err := Client(patience(t), u, cc, e)
	wantErr(t, err, ErrHandshake)
	select {
	case f := <-told:
		if f.peer.String() != local || !errors.Is(f.err, ErrHandshake) || !errors.Is(f.err, refused) {
			t.Errorf("%v: %v; want %s: %v", f.peer, f.err, local, refused)
		}
	case <-time.After(long):
		t.Error("nobody was told")
	}
	if s := l.Stats(); s.Failed != 1 || len(told) != 0 {
		t.Errorf("%+v, told %d times more", s, len(told))
	}
}

// TestPionClientsOfAListener: strangers to this package connect as well.
func TestPionClientsOfAListener(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	l := listen(t, e, sc)
	unlessPionLosesIt(t, func() error {
		c, err := dtls.DialWithContext(patience(t), "udp", l.Addr().(*net.UDPAddr), cc)
		must(t, err)
		s, err := l.Accept()
		must(t, err)
		exchange(t, c, s)
		must(t, c.Close())
		err = goodbye(t, s)
		must(t, s.Close())
		wantNoPeers(t, l)
		return err
	})
}
