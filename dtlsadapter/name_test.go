package dtlsadapter

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
)

// TestCertificateIsForTheServerThatWasAskedFor: of one authority's certificates only that
// with the server's name or address will do.
func TestCertificateIsForTheServerThatWasAskedFor(t *testing.T) {
	e := newEngine(t)
	certificate := certificateFor(t, byECDSA, "localhost", net.IPv4(192, 0, 2, 1), net.ParseIP("2001:db8::1"))
	for name, good := range map[string]bool{
		"localhost": true, "192.0.2.1": true, "2001:db8::1": true,
		"elsewhere": false, "192.0.2.2": false, "2001:db8::2": false,
	} {
		cc, sc := configs(t, gcm128)
		sc.Certificates[0] = certificate
		cc.RootCAs, cc.ServerName = poolOf(certificate), name
		asked := 0
		cc.VerifyPeerCertificate = func(_ [][]byte, chains [][]*x509.Certificate) error {
			asked = len(chains)
			return nil
		}
		err := clientAgainst(t, e, cc, sc)
		if (err == nil) != good || !good && !errors.As(err, new(x509.HostnameError)) {
			t.Errorf("%s: %v", name, err)
		}
		if (asked != 0) != good {
			t.Errorf("%s: the user's own check saw %d chains", name, asked)
		}
	}
}

// TestClientThatNamesNobody would take anybody's certificate.
func TestClientThatNamesNobody(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	cc.ServerName = ""
	var field *FieldError
	if err := clientAgainst(t, e, cc, sc); !errors.As(err, &field) || field.Field != "ServerName" {
		t.Errorf("without a name: %v", err)
	}
	cc.InsecureSkipVerify = true
	if err := clientAgainst(t, e, cc, sc); err != nil {
		t.Errorf("asked not to look: %v", err)
	}
	cc.InsecureSkipVerify = false
	refused := errors.New("not that one")
	cc.VerifyPeerCertificate = func([][]byte, [][]*x509.Certificate) error { return refused }
	if err := clientAgainst(t, e, cc, sc); !errors.Is(err, refused) {
		t.Errorf("with a check of its own: %v", err)
	}
	cc, sc = configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	if err := clientAgainst(t, e, cc, sc); err != nil {
		t.Errorf("with a shared key: %v", err)
	}
}

// clientAgainst is what a client of ours gets from a server of ours.
func clientAgainst(t *testing.T, e *engine.Engine, cc, sc *dtls.Config) error {
	t.Helper()
	p := newPipe()
	ctx, cancel := context.WithCancel(patience(t))
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if s, err := Server(ctx, p.b, sc, e); err == nil {
			<-ready // a close_notify ends a handshake that is not over
			_ = s.Close()
		}
	}()
	c, err := Client(ctx, p.a, cc, e)
	close(ready)
	if err == nil {
		must(t, c.Close())
	}
	cancel()
	<-done
	return err
}
