package dtlsadapter

import (
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

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
