package dtlsadapter

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
)

// shared is one client socket under several handshakes, of which the last gets what arrives.
type shared struct {
	*net.UDPConn
	mu      sync.Mutex
	current *lease
}

// lease is a shared socket as one handshake sees it.
type lease struct {
	net.Conn
	in     chan []byte
	closed chan struct{}
	once   sync.Once
}

func share(u *net.UDPConn) *shared {
	s := &shared{UDPConn: u}
	go func() {
		b := make([]byte, maxDatagram)
		for {
			n, err := u.Read(b)
			if err != nil {
				return
			}
			s.pass(append([]byte(nil), b[:n]...))
		}
	}()
	return s
}

func (s *shared) pass(d []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		select {
		case s.current.in <- d:
		default:
		}
	}
}

func (s *shared) next() *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = &lease{Conn: s.UDPConn, in: make(chan []byte, 100), closed: make(chan struct{})}
	return s.current
}

func (l *lease) Read(b []byte) (int, error) {
	select {
	case d := <-l.in:
		return copy(b, d), nil
	case <-l.closed:
		return 0, net.ErrClosed
	}
}

func (l *lease) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// gate makes a server's look-up of the secret wait, so that a handshake stands still.
type gate struct {
	reached chan chan struct{}
}

func (g *gate) guard(sc *dtls.Config) {
	psk := sc.PSK
	sc.PSK = func(hint []byte) ([]byte, error) {
		open := make(chan struct{})
		g.reached <- open
		<-open
		return psk(hint)
	}
}

// failures collects why handshakes of a listener fail.
func failures(l *Listener) <-chan error {
	told := make(chan error, 10)
	l.NotifyFailed(func(_ net.Addr, err error) { told <- err })
	return told
}

// running is the handshake that a listener runs with a socket that has no connection.
func running(l *Listener, u *net.UDPConn) *Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peers[u.LocalAddr().(*net.UDPAddr).AddrPort()]
}

// TestHandshakeThatIsReplaced: a peer begins a second handshake, closes its connection,
// begins a third and finishes the second. The third ends, and nothing else does.
func TestHandshakeThatIsReplaced(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	g := &gate{make(chan chan struct{})}
	g.guard(sc)
	l := listen(t, e, sc)
	failed := failures(l)
	ctx, cancel := context.WithCancel(patience(t))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	s := share(dial(t, l.Addr()))
	begin := func() (opened chan struct{}, client chan *Conn) {
		client = make(chan *Conn, 1)
		group.Go(func() {
			if c, err := Client(ctx, s.next(), cc, e); err == nil {
				client <- c
			}
		})
		return <-g.reached, client
	}
	opened, client := begin()
	close(opened)
	first := <-client
	server, err := l.AcceptConn()
	must(t, err)
	second, _ := begin()
	must(t, first.Close())
	waitEOF(t, server)
	must(t, server.Close())
	third, _ := begin()
	replaced := running(l, s.UDPConn)
	close(second)
	newer, err := l.AcceptConn()
	must(t, err)
	comes(replaced.link.(*peer).closed.Load)
	close(third)
	select {
	case err := <-failed:
		wantErr(t, err, context.Canceled)
	case <-time.After(long):
		t.Error("the third handshake goes on")
	}
	must(t, newer.Close())
	wantNoPeers(t, l)
}

// TestHandshakeThatIsStopped before pion's Finished, which pion believes sent, fails.
func TestHandshakeThatIsStopped(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	g := &gate{make(chan chan struct{})}
	g.guard(sc)
	l := listen(t, e, sc)
	failed := failures(l)
	ctx, cancel := context.WithCancel(patience(t))
	u := dial(t, l.Addr())
	var group sync.WaitGroup
	group.Go(func() { _, _ = Client(ctx, u, cc, e) })
	opened := <-g.reached
	running(l, u).stop(ErrReplaced, ErrReplaced)
	close(opened)
	select {
	case err := <-failed:
		wantErr(t, err, errNoKeys)
		wantErr(t, err, ErrReplaced)
	case <-time.After(long):
		t.Error("the handshake goes on")
	}
	cancel()
	group.Wait()
}

// TestPeerThatStartsAnew from the same address gets a new connection in the place of
// the old one, but only once its handshake has succeeded.
func TestPeerThatStartsAnew(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	l := listen(t, e, sc)
	u := dial(t, l.Addr())
	local := u.LocalAddr().(*net.UDPAddr)
	first, err := Client(patience(t), u, cc, e)
	must(t, err)
	server, err := l.AcceptConn()
	must(t, err)
	exchange(t, first, server)

	_, err = u.Write(forgedHello())
	must(t, err)
	exchange(t, first, server) // a forged hello changes nothing

	must(t, u.Close()) // the client is gone without a word
	again, err := net.DialUDP("udp", local, l.Addr().(*net.UDPAddr))
	must(t, err)
	second, err := Client(patience(t), again, cc, e)
	must(t, err)
	newer, err := l.AcceptConn()
	must(t, err)
	exchange(t, second, newer)
	_, err = server.Read(make([]byte, 10))
	wantErr(t, err, ErrReplaced)
	for _, c := range []*Conn{first, second, server, newer} {
		_ = c.Close()
	}
	if s := l.Stats(); s.Peers != 0 {
		t.Errorf("%+v", s)
	}
}
