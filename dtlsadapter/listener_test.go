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
	"github.com/sealburst/sealburst/record"
	"go.uber.org/goleak"
)

func listen(t testing.TB, e *engine.Engine, sc *dtls.Config) *Listener {
	t.Helper()
	l, err := Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, sc, e)
	must(t, err)
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
				_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
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

// wantNoPeers waits until the listener has let go of connections that their peers closed.
func wantNoPeers(t testing.TB, l *Listener) {
	t.Helper()
	for range 5000 {
		if l.Stats().Peers == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("addresses of closed connections are kept: %+v", l.Stats())
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

// TestListenerWriteBurst sends to many peers with one call of the engine.
func TestListenerWriteBurst(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 4)
	must(t, conns[3].Close())
	waitEOF(t, cs[3])
	must(t, cs[3].Close()) // after which its answer is sent
	var to []*Conn
	var payloads [][]byte
	for i := range 100 {
		to = append(to, conns[i%4])
		payloads = append(payloads, fmt.Append(nil, "payload ", i))
	}
	payloads[1] = make([]byte, MaxPlaintext+1)
	before := e.Stats().Seal
	n, err := l.WriteBurst(to, payloads)
	must(t, err)
	if n != 74 {
		t.Errorf("sent %d", n)
	}
	after := e.Stats().Seal
	if after.Bursts-before.Bursts != 2 || after.Packets-before.Packets != 74 {
		t.Errorf("%d records in %d bursts", after.Packets-before.Packets, after.Bursts-before.Bursts)
	}
	for i := range payloads {
		if i%4 != 3 && i != 1 {
			wantRead(t, cs[i%4], string(payloads[i]))
		}
	}
	drops := conns[3].Stats().Sent.Drops
	if drops[record.DropClosed] != 25 || conns[1].Stats().Sent.Drops[record.DropTooLong] != 1 {
		t.Errorf("drops %v and %v", drops, conns[1].Stats().Sent.Drops)
	}
	_, err = l.WriteBurst(to[:1], nil)
	wantErr(t, err, ErrConfig)
	_, err = l.WriteBurst(cs[:1], payloads[:1])
	wantErr(t, err, ErrConfig)
	_, err = l.WriteBurst([]*Conn{conns[0], nil}, payloads[:2])
	wantErr(t, err, ErrConfig)
}

// TestOneBurstFromManyPeers opens what comes from many in few calls of the engine.
func TestOneBurstFromManyPeers(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 5)
	o := newOpener(e)
	for i, c := range cs {
		for j := range 3 {
			wire, err := c.session.out.appendRecord(nil, typeApplicationData, fmt.Append(nil, i, j))
			must(t, err)
			conns[i].take(o, wire)
		}
	}
	before := e.Stats().Open
	o.flush()
	if after := e.Stats().Open; after.Bursts-before.Bursts != 1 || after.OK-before.OK != 15 {
		t.Errorf("%d records in %d bursts", after.OK-before.OK, after.Bursts-before.Bursts)
	}
	for i, c := range conns {
		for j := range 3 {
			wantRead(t, c, string(fmt.Append(nil, i, j)))
		}
	}
}

// forgedHello is the start of a ClientHello.
func forgedHello() []byte {
	body := make([]byte, messageHeaderSize+randomEnd)
	body[0], body[11] = messageClientHello, randomEnd
	return rec(typeHandshake, version12, 0, 0, len(body), body)
}

// TestStrangersAreDropped: only a ClientHello makes a connection.
func TestStrangersAreDropped(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	l := listen(t, e, sc)
	u := dial(t, l.Addr())
	for _, d := range [][]byte{
		{1}, []byte("GET / HTTP/1.1\r\n\r\n"), rec(typeApplicationData, version12, 1, 1, 40, make([]byte, 40)),
		rec(typeHandshake, version12, 0, 1, 90, append([]byte{messageServerHello}, make([]byte, 89)...)),
		rec(typeHandshake, version12, 0, 1, 45, append([]byte{messageClientHello}, make([]byte, 44)...)),
		rec(typeHandshake, version12, 1, 1, 90, append([]byte{messageClientHello}, make([]byte, 89)...)),
	} {
		_, err := u.Write(d)
		must(t, err)
	}
	for range 1000 {
		if l.Stats().Datagrams == 6 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := l.Stats(); s.Drops[record.DropUnknownSession] != 6 || s.Peers != 0 {
		t.Errorf("%+v", s)
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
	case <-time.After(5 * time.Second):
		t.Error("nobody was told")
	}
	if s := l.Stats(); s.Failed != 1 || len(told) != 0 {
		t.Errorf("%+v, told %d times more", s, len(told))
	}
}

// TestFloodIsShed: more strangers than there is room for cost nothing but a counter,
// and who is connected notices nothing.
func TestFloodIsShed(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 1)
	wantNoHandshakes(t, l) // the one that Accept returned keeps its place for a moment
	const extra = 20
	hello := forgedHello()
	for range maxHandshakes + extra {
		_, err := dial(t, l.Addr()).Write(hello)
		must(t, err)
	}
	wantStats(t, l, func(s ListenerStats) bool { return s.Shed == extra && s.Peers == maxHandshakes+1 })
	if s := l.Stats(); s.Failed != 0 {
		t.Errorf("%+v", s)
	}
	exchange(t, cs[0], conns[0])
}

func wantNoHandshakes(t *testing.T, l *Listener) {
	t.Helper()
	for range 500 {
		l.mu.Lock()
		running := l.serving
		l.mu.Unlock()
		if running == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("handshakes go on")
}

// TestForgedHelloIsForgotten: who does not return the cookie holds no place for long.
func TestForgedHelloIsForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stranger is given, without -short")
	}
	t.Parallel()
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	l := listen(t, e, sc)
	_, err := dial(t, l.Addr()).Write(forgedHello())
	must(t, err)
	begin := time.Now()
	for l.Stats().Failed == 0 && time.Since(begin) < 2*firstReply {
		time.Sleep(10 * time.Millisecond)
	}
	if s := l.Stats(); s.Failed != 1 || s.Peers != 0 {
		t.Errorf("%+v after %v", s, time.Since(begin))
	}
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

// TestListenerClose: connections live on, and the last one closes the socket.
func TestListenerClose(t *testing.T) {
	e := newEngine(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cc, sc := configs(t, gcm128)
	l, err := Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, sc, e)
	must(t, err)
	waiting := make(chan error, 1)
	client, err := Client(patience(t), dial(t, l.Addr()), cc, e)
	must(t, err)
	server, err := l.AcceptConn()
	must(t, err)
	_, err = dial(t, l.Addr()).Write(forgedHello())
	must(t, err) // a handshake that will not end
	go func() {
		_, err := l.Accept()
		waiting <- err
	}()
	time.Sleep(10 * time.Millisecond)
	must(t, l.Close())
	wantErr(t, <-waiting, net.ErrClosed)
	wantErr(t, l.Close(), net.ErrClosed)
	exchange(t, client, server)
	must(t, client.Close())
	must(t, server.Close())
	<-l.stopped
}

// TestListenerCloseWithoutConnections leaves nothing.
func TestListenerCloseWithoutConnections(t *testing.T) {
	e := newEngine(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	_, sc := configs(t, gcm128)
	l, err := Listen("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, sc, e)
	must(t, err)
	if _, err := Listen("udp4", l.Addr().(*net.UDPAddr), sc, e); err == nil {
		t.Error("a second socket at the same address")
	}
	must(t, l.Close())
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
