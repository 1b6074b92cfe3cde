package dtlsadapter

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
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

// TestStreamsAreRefused: a record would be lost wherever datagrams run together.
func TestStreamsAreRefused(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "socket")} {
		a, b := streamsOf(t, network, address)
		for _, conn := range []net.Conn{a, b, tls.Client(a, nil)} {
			_, err := Batch(conn)
			wantField(t, err, "conn")
		}
		_, err := Client(patience(t), a, cc, e)
		wantField(t, err, "conn")
		_, err = Server(patience(t), b, sc, e)
		wantField(t, err, "conn")
	}
}

// framed keeps datagrams apart in a stream, whose addresses it has (RFC 4571 section 2).
type framed struct{ net.Conn }

func (f framed) Write(datagram []byte) (int, error) {
	frame := binary.BigEndian.AppendUint16(nil, uint16(len(datagram)))
	n, err := f.Conn.Write(append(frame, datagram...))
	return max(n-len(frame), 0), err
}

func (f framed) Read(to []byte) (int, error) {
	var size [2]byte
	if _, err := io.ReadFull(f.Conn, size[:]); err != nil {
		return 0, err
	}
	return io.ReadFull(f.Conn, to[:binary.BigEndian.Uint16(size[:])])
}

// TestFramesInAStream are datagrams, as ICE has them over TCP.
func TestFramesInAStream(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	a, b := streamsOf(t, "tcp", "127.0.0.1:0")
	c, s := connectOver(t, framed{a}, framed{b}, e, cc, sc)
	exchange(t, c, s)
	must(t, c.Close())
	must(t, s.Close())
}

// connectOver makes a connection between both ends of a transport.
func connectOver(t *testing.T, near, far net.Conn, e *engine.Engine, cc, sc *dtls.Config) (c, s *Conn) {
	t.Helper()
	served := make(chan *Conn, 1)
	go func() {
		s, err := Server(patience(t), far, sc, e)
		if err != nil {
			t.Error(err)
		}
		served <- s
	}()
	c, err := Client(patience(t), near, cc, e)
	must(t, err)
	if s = <-served; s == nil {
		t.FailNow()
	}
	return c, s
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
	c, s = connectOver(t, near, far, e, cc, sc)
	exchange(t, c, s)
	must(t, c.Close())
	must(t, s.Close())
}
