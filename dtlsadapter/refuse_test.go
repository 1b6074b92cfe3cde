package dtlsadapter

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
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
	ctx, cancel := contextFor(2000)
	defer cancel()
	_, _, cerr, _ := try(ctx, newPipe(), ourClient(e), pionServer, cc, sc)
	wantErr(t, cerr, ErrHandshake)
}
