package dtlsadapter

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/pion/dtls/v2"
)

// streamsOf are both ends of a stream.
func streamsOf(t *testing.T, network, address string) (dialled, accepted net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	must(t, err)
	defer l.Close()
	dialled, err = net.Dial(network, l.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = dialled.Close() })
	accepted, err = l.Accept()
	must(t, err)
	t.Cleanup(func() { _ = accepted.Close() })
	return dialled, accepted
}

// TestStreamsAreRefused, also those that others wrap: a record would be lost wherever
// datagrams run together.
func TestStreamsAreRefused(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "socket")} {
		a, b := streamsOf(t, network, address)
		for _, conn := range []net.Conn{a, b, endless{a}} {
			_, err := Batch(conn)
			wantField(t, err, "conn")
		}
		_, err := Client(patience(t), a, cc, e)
		wantField(t, err, "conn")
		_, err = Server(patience(t), endless{b}, sc, e)
		wantField(t, err, "conn")
	}
}

// TestNoTransport: neither an interface without a value nor a socket that is nil.
func TestNoTransport(t *testing.T) {
	for _, conn := range []net.Conn{nil, (*net.UDPConn)(nil)} {
		_, err := Batch(conn)
		wantField(t, err, "conn")
		cc, _ := configs(t, gcm128)
		_, err = Client(patience(t), conn, cc, newEngine(t))
		wantField(t, err, "conn")
	}
}

func TestBatchesOfNothingAreRefused(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	for _, conn := range []net.Conn{near, dial(t, loopback(t, "udp4").LocalAddr())} {
		batched, err := Batch(conn)
		must(t, err)
		_, err = batched.ReadBatch(nil)
		wantField(t, err, "burst")
	}
}

// TestTransportsThatKeepDatagramsApart are taken: a pipe, and a UDP socket that is wrapped.
func TestTransportsThatKeepDatagramsApart(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	c, err := Client(patience(t), struct{ net.Conn }{dial(t, l.Addr())}, cc, e)
	must(t, err)
	s, err := l.AcceptConn()
	must(t, err)
	exchange(t, c, s)
	must(t, c.Close())
	must(t, s.Close())

	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan *Conn, 1)
	go func() {
		s, err := Server(ctx, far, sc, e)
		if err != nil {
			t.Error(err)
		}
		served <- s
	}()
	c, err = Client(ctx, near, cc, e)
	must(t, err)
	if s = <-served; s == nil {
		return
	}
	exchange(t, c, s)
	must(t, c.Close())
	must(t, s.Close())
}
