package dtlsadapter

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func contextFor(milliseconds int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Duration(milliseconds)*time.Millisecond)
}

func TestCBCSuitesAreRefusedByName(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{
		dtls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, dtls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
		dtls.TLS_PSK_WITH_AES_128_CBC_SHA256, dtls.TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256,
	} {
		cfg, _ := configs(t, gcm128)
		cfg.CipherSuites = []dtls.CipherSuiteID{gcm128, id}
		p := newPipe()
		p.a.keep = true
		_, err := Client(patience(t), p.a, cfg, e)
		wantErr(t, err, ErrSuite)
		if !strings.Contains(err.Error(), dtls.CipherSuiteName(id)) {
			t.Errorf("%q does not name the suite", err)
		}
		if len(p.a.captured()) != 0 {
			t.Error("something was sent")
		}
		if _, err := Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, cfg, e); !errors.Is(err, ErrSuite) {
			t.Errorf("Listen: %v", err)
		}
	}
}

func TestConfigsThatCannotBe(t *testing.T) {
	e := newEngine(t)
	good, _ := configs(t, gcm128)
	custom, short, unknown := *good, *good, *good
	custom.CustomCipherSuites = func() []dtls.CipherSuite { return nil }
	short.MTU = minMTU - 1
	unknown.CipherSuites = []dtls.CipherSuiteID{0x1301}
	a := newPipe().a
	for name, test := range map[string]struct {
		conn   net.Conn
		config *dtls.Config
		engine *engine.Engine
		want   string
	}{
		"no config":           {a, nil, e, "Config"},
		"no engine":           {a, good, nil, "Engine"},
		"no conn":             {nil, good, e, "conn"},
		"unconnected":         {loopback(t, "udp4"), good, e, "conn"},
		"custom suites":       {a, &custom, e, "CustomCipherSuites"},
		"MTU below the hello": {a, &short, e, "MTU"},
		"unknown suite":       {a, &unknown, e, "0x1301"},
	} {
		_, err := Client(patience(t), test.conn, test.config, test.engine)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if !errors.Is(err, ErrConfig) && !errors.Is(err, ErrSuite) {
			t.Errorf("%s: %v is no ErrConfig", name, err)
		}
	}
}

func TestPionsRefusalIsPassedOn(t *testing.T) {
	e := newEngine(t)
	cfg := &dtls.Config{PSK: func([]byte) ([]byte, error) { return nil, nil }} // no identity
	_, err := Client(patience(t), newPipe().a, cfg, e)
	wantErr(t, err, ErrHandshake)
}

func TestClosedEngine(t *testing.T) {
	e, err := engine.New(engine.Config{})
	must(t, err)
	cc, sc := configs(t, gcm128)
	p := newPipe()
	c, s := connect(t, p, ourClient(e), ourServer(e), cc, sc)
	e.Close()
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a record was sealed by a closed engine")
	}
	must(t, c.Close())
	must(t, s.Close())
}

// watched notes that it was closed.
type watched struct {
	net.Conn
	closed bool
}

func (w *watched) Close() error {
	w.closed = true
	return w.Conn.Close()
}

// TestRefusalsCloseTheTransport, of whatever kind: our own, pion's, the engine's.
func TestRefusalsCloseTheTransport(t *testing.T) {
	e, over := newEngine(t), newEngine(t)
	over.Close()
	good, _ := configs(t, gcm128)
	suite, nameless, tiny := *good, *good, *good
	suite.CipherSuites = []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_CBC_SHA256}
	nameless.ServerName, tiny.MTU = "", 1
	pions := dtls.Config{PSK: func([]byte) ([]byte, error) { return nil, nil }}
	for _, test := range []struct {
		config *dtls.Config
		engine *engine.Engine
		ctx    context.Context
		want   error
	}{
		{nil, e, patience(t), ErrConfig}, {good, nil, patience(t), ErrConfig}, {good, e, nil, ErrConfig},
		{&suite, e, patience(t), ErrSuite}, {&nameless, e, patience(t), ErrConfig}, {&tiny, e, patience(t), ErrConfig},
		{&pions, e, patience(t), ErrHandshake}, {good, over, patience(t), engine.ErrClosed},
	} {
		w := &watched{Conn: newPipe().a}
		_, err := Client(test.ctx, w, test.config, test.engine)
		wantErr(t, err, test.want)
		if !w.closed {
			t.Errorf("%v: the transport is still open", err)
		}
	}
}

// TestEngineThatIsClosed is refused before a socket is opened or anything sent.
func TestEngineThatIsClosed(t *testing.T) {
	e := newEngine(t)
	e.Close()
	cc, sc := configs(t, gcm128)
	p := newPipe()
	p.a.keep = true
	_, err := Client(patience(t), p.a, cc, e)
	wantErr(t, err, engine.ErrClosed)
	_, err = Server(patience(t), p.b, sc, e)
	wantErr(t, err, engine.ErrClosed)
	_, err = Listen("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, sc, e)
	wantErr(t, err, engine.ErrClosed)
	hub, err := BatchPackets(loopback(t, "udp4"))
	must(t, err)
	_, err = ListenOn(hub, sc, e)
	wantErr(t, err, engine.ErrClosed)
	wantErr(t, hub.Close(), net.ErrClosed)
	if len(p.a.captured()) != 0 {
		t.Error("something was sent")
	}
}

// TestEngineClosedDuringHandshake is what the side says whose engine it was.
func TestEngineClosedDuringHandshake(t *testing.T) {
	for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
		mine, theirs := newEngine(t), newEngine(t)
		cc, sc := configs(t, id)
		cc.VerifyPeerCertificate = func([][]byte, [][]*x509.Certificate) error {
			mine.Close()
			return nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		_, _, cerr, _ := try(ctx, newPipe(), func(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error) {
			defer cancel() // the server hears nothing more
			return ourClient(mine)(ctx, c, cfg)
		}, ourServer(theirs), cc, sc)
		wantErr(t, cerr, ErrHandshake)
		wantErr(t, cerr, engine.ErrClosed)
		if strings.Contains(cerr.Error(), errNoKeys.Error()) {
			t.Errorf("%v: the keys are blamed", cerr)
		}
	}
}

// TestErrorsSayThingsOnce: no prefix comes twice, and what is wrapped is still found.
func TestErrorsSayThingsOnce(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	cc.RootCAs = poolOf(certificate(t, byECDSA))
	_, _, err, _ := try(patience(t), newPipe(), ourClient(e), ourServer(e), cc, sc)
	var pions *dtls.HandshakeError
	if !errors.As(err, &pions) || !errors.Is(err, ErrHandshake) {
		t.Errorf("%v is no error of pion's handshake", err)
	}
	text := err.Error()
	if strings.Contains(text, "handshake error") || strings.Contains(text, "\n") || strings.Count(text, "dtlsadapter") != 1 {
		t.Errorf("%q says a thing twice", text)
	}
	hub, err := BatchPackets(loopback(t, "udp4"))
	must(t, err)
	must(t, hub.SetReadDeadline(time.Unix(1, 0)))
	_, err = hub.ReadBatchFrom(make([]record.Datagram, 1), make([]netip.AddrPort, 1))
	wantErr(t, err, os.ErrDeadlineExceeded)
	if strings.Count(err.Error(), "udp") != 1 {
		t.Errorf("%q says a thing twice", err)
	}
}
