package probe

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	xquic "golang.org/x/net/quic"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
)

// tlsPair are the configurations of a server and of a client that trusts it.
func tlsPair(t testing.TB) (server, client *tls.Config) {
	cert, pool := peertest.Certificate(t, "server")
	server = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}, NextProtos: []string{"ping"}}
	client = &tls.Config{MinVersion: tls.VersionTLS13, ServerName: "server", RootCAs: pool, NextProtos: []string{"ping"}}
	return server, client
}

// shared is one engine for all tests.
var shared = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{}) })

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// quick is a configuration for a server on this machine.
func quick(t testing.TB, address string, client *tls.Config) Config {
	return Config{
		Engine: newEngine(t), Address: address, TLS: client, Version: quicadapter.Version1,
		Count: 5, Interval: 5 * time.Millisecond, Wait: 30 * time.Second, Handshake: 30 * time.Second,
	}
}

func listen(t testing.TB) *net.UDPConn {
	t.Helper()
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	return udp
}

func address(t testing.TB, text string) net.Addr {
	t.Helper()
	a, err := net.ResolveUDPAddr("udp4", text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// serveQuicGo runs a quic-go server until the test ends and returns its address.
func serveQuicGo(t testing.TB, server *tls.Config, retry bool, versions ...quic.Version) string {
	t.Helper()
	udp := listen(t)
	transport := &quic.Transport{
		Conn: udp, VerifySourceAddress: func(net.Addr) bool { return retry },
		StatelessResetKey: &quic.StatelessResetKey{1, 2, 3},
	}
	listener, err := transport.Listen(server, &quic.Config{Versions: versions, HandshakeIdleTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { transport.Close() })
	go func() {
		for {
			if _, err := listener.Accept(context.Background()); err != nil {
				return
			}
		}
	}()
	return udp.LocalAddr().String()
}

// answered wants every ping answered.
func answered(t *testing.T, cfg Config) *Result {
	t.Helper()
	result, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Pings) != cfg.Count {
		t.Errorf("%d pings, not %d", len(result.Pings), cfg.Count)
	}
	for _, p := range result.Pings {
		if p.Lost || p.Time <= 0 || p.Time > cfg.Wait {
			t.Errorf("%+v", p)
		}
	}
	return result
}

func TestQuicGo(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for _, v := range []struct {
		name   string
		theirs quic.Version
		ours   quicadapter.Version
		retry  bool
	}{
		{"v1", quic.Version1, quicadapter.Version1, false}, {"v2", quic.Version2, quicadapter.Version2, false},
		{"v1 with Retry", quic.Version1, quicadapter.Version1, true}, {"v2 with Retry", quic.Version2, quicadapter.Version2, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			cfg := quick(t, serveQuicGo(t, server, v.retry, v.theirs), client)
			cfg.Version = v.ours
			s := answered(t, cfg).Session
			if s.Version != v.ours || s.Retried != v.retry || s.TLS.NegotiatedProtocol != "ping" {
				t.Errorf("version %x, retried %v, protocol %q", uint32(s.Version), s.Retried, s.TLS.NegotiatedProtocol)
			}
		})
	}
}

func TestVersionNegotiationWithQuicGo(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for _, v := range []struct {
		theirs      quic.Version
		asked, want quicadapter.Version
	}{
		{quic.Version1, quicadapter.Version2, quicadapter.Version1},
		{quic.Version2, quicadapter.Version1, quicadapter.Version2},
	} {
		cfg := quick(t, serveQuicGo(t, server, false, v.theirs), client)
		cfg.Version = v.asked
		result, err := Run(context.Background(), cfg)
		// A server of version 2 alone that sends no version_information cannot prove that
		// the list was its own: RFC 9368 section 4 wants the client to give up.
		if v.want == quicadapter.Version2 && err != nil {
			if c, _, _ := closeCode(err); c != versionNegotiation {
				t.Errorf("%v", err)
			}
			continue
		}
		if err != nil || result.Session.Version != v.want {
			t.Errorf("%v", err)
		}
	}
}

func TestOurKeyUpdatesWithQuicGo(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for ours, theirs := range map[quicadapter.Version]quic.Version{quicadapter.Version1: quic.Version1, quicadapter.Version2: quic.Version2} {
		cfg := quick(t, serveQuicGo(t, server, false, theirs), client)
		cfg.Version, cfg.Update, cfg.Count = ours, true, 6
		result := answered(t, cfg)
		if result.Updates != 5 {
			t.Errorf("%d key updates, not 5", result.Updates)
		}
		for i, p := range result.Pings {
			if p.Phase != uint64(i) || p.Answered != uint64(i) {
				t.Errorf("ping %d in phase %d, answered in %d", i, p.Phase, p.Answered)
			}
		}
	}
}

// quic-go updates its keys after 100 packets of its own.
func TestKeyUpdatesOfQuicGo(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for ours, theirs := range map[quicadapter.Version]quic.Version{quicadapter.Version1: quic.Version1, quicadapter.Version2: quic.Version2} {
		cfg := quick(t, serveQuicGo(t, server, false, theirs), client)
		cfg.Version, cfg.Count, cfg.Interval = ours, 300, 500*time.Microsecond
		if result := answered(t, cfg); result.Updates == 0 {
			t.Error("quic-go made no key update")
		}
	}
}

func TestXNetQUIC(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	for _, retry := range []bool{false, true} {
		endpoint, err := xquic.Listen("udp4", "127.0.0.1:0", &xquic.Config{TLSConfig: server, RequireAddressValidation: retry})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			endpoint.Close(ctx)
		})
		go func() {
			for {
				if _, err := endpoint.Accept(context.Background()); err != nil {
					return
				}
			}
		}()
		cfg := quick(t, endpoint.LocalAddr().String(), client)
		cfg.Update = true
		if result := answered(t, cfg); result.Updates != 4 || result.Session.Retried != retry {
			t.Errorf("%d key updates, retried %v", result.Updates, result.Session.Retried)
		}
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	cfg := quick(t, serveQuicGo(t, server, false, quic.Version1), client)
	cfg.TLS = client.Clone()
	cfg.TLS.ServerName = "another"
	result, err := Run(context.Background(), cfg)
	if c, _, _ := closeCode(err); err == nil || result.Session != nil || c != cryptoError+42 {
		t.Errorf("%v", err)
	}
}

func TestNoCommonProtocol(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	cfg := quick(t, serveQuicGo(t, server, false, quic.Version1), client)
	cfg.TLS = client.Clone()
	cfg.TLS.NextProtos = []string{"another"}
	if _, err := Run(context.Background(), cfg); err == nil {
		t.Error("a handshake without a common protocol")
	}
}
