package dtlsadapter

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// long is more than anything takes on the busiest machine: what has not come by then never will.
const long = time.Minute

// comes waits until something holds, and reports whether it ever did.
func comes(holds func() bool) bool {
	for end := time.Now().Add(long); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// bubble is a test whose time passes only while nobody has anything to do: however busy the
// machine is, no side repeats a flight that the other has not come to.
func bubble(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	must(t, err)
	t.Cleanup(e.Close)
	return e
}

// certificate is a new one for localhost that signs itself.
func certificate(t testing.TB, a auth) tls.Certificate {
	t.Helper()
	return certificateFor(t, a, "localhost")
}

func certificateFor(t testing.TB, a auth, name string, addresses ...net.IP) tls.Certificate {
	t.Helper()
	var key crypto.Signer
	var err error
	if a == byRSA {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}, IPAddresses: addresses,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	leaf, err := x509.ParseCertificate(der)
	must(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func poolOf(c tls.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(c.Leaf)
	return pool
}

// configs are a client's and a server's for a suite.
func configs(t testing.TB, id dtls.CipherSuiteID) (client, server *dtls.Config) {
	t.Helper()
	s, err := suiteOf(id)
	must(t, err)
	list := []dtls.CipherSuiteID{id}
	if s.auth == byPSK {
		psk := func([]byte) ([]byte, error) { return []byte{0xab, 0xc1, 0x23, 0x45}, nil }
		c := dtls.Config{PSK: psk, PSKIdentityHint: []byte("identity"), CipherSuites: list}
		d := c
		return &c, &d
	}
	cert := certificate(t, s.auth)
	client = &dtls.Config{RootCAs: poolOf(cert), ServerName: "localhost", CipherSuites: list}
	server = &dtls.Config{Certificates: []tls.Certificate{cert}, CipherSuites: list}
	return client, server
}

func patience(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), long)
	t.Cleanup(cancel)
	return ctx
}

// peerConn is what tests need of a connection, ours or pion's.
type peerConn interface{ net.Conn }

// maker makes one side of a connection.
type maker func(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error)

func ourClient(e *engine.Engine) maker {
	return func(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error) {
		return wrap(Client(ctx, c, cfg, e))
	}
}

func ourServer(e *engine.Engine) maker {
	return func(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error) {
		return wrap(Server(ctx, c, cfg, e))
	}
}

func wrap(c *Conn, err error) (peerConn, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

func pionClient(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error) {
	return dtls.ClientWithContext(ctx, c, cfg)
}

func pionServer(ctx context.Context, c net.Conn, cfg *dtls.Config) (peerConn, error) {
	return dtls.ServerWithContext(ctx, c, cfg)
}

// connect runs a handshake over a pipe; the sides are closed when the test ends.
func connect(t testing.TB, p *pipe, client, server maker, cc, sc *dtls.Config) (peerConn, peerConn) {
	t.Helper()
	c, s, cerr, serr := try(patience(t), p, client, server, cc, sc)
	if c != nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	if s != nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	if cerr != nil || serr != nil {
		t.Fatalf("client: %v, server: %v", cerr, serr)
	}
	return c, s
}

func try(ctx context.Context, p *pipe, client, server maker, cc, sc *dtls.Config) (c, s peerConn, cerr, serr error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, serr = server(ctx, p.b, sc)
	}()
	c, cerr = client(ctx, p.a, cc)
	<-done
	return c, s, cerr, serr
}

// ours is a pair of our own.
func ours(t testing.TB, p *pipe, id dtls.CipherSuiteID) (client, server *Conn) {
	t.Helper()
	cc, sc := configs(t, id)
	return oursWith(t, p, cc, sc)
}

func oursWith(t testing.TB, p *pipe, cc, sc *dtls.Config) (client, server *Conn) {
	t.Helper()
	e := newEngine(t)
	c, s := connect(t, p, ourClient(e), ourServer(e), cc, sc)
	return c.(*Conn), s.(*Conn)
}

// exchange sends a message each way and wants it on the other side.
func exchange(t testing.TB, a, b peerConn) {
	t.Helper()
	passes(t, a, b, "there")
	passes(t, b, a, "and back")
}

func passes(t testing.TB, from, to peerConn, message string) {
	t.Helper()
	_, err := from.Write([]byte(message))
	must(t, err)
	must(t, to.SetReadDeadline(time.Now().Add(long)))
	defer func() { must(t, to.SetReadDeadline(time.Time{})) }() // pion's keeps a goroutine
	buffer := make([]byte, 100)
	n, err := to.Read(buffer)
	must(t, err)
	if got := string(buffer[:n]); got != message {
		t.Fatalf("received %q, want %q", got, message)
	}
}

const gcm128 = dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
