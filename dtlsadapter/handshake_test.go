package dtlsadapter

import (
	"bytes"
	"crypto/tls"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
)

// pairings are who can talk to whom about a suite.
func pairings(e *engine.Engine, s *suite) map[string][2]maker {
	all := map[string][2]maker{"ours and ours": {ourClient(e), ourServer(e)}}
	if !s.own() {
		all["our client and pion"] = [2]maker{ourClient(e), pionServer}
		all["pion and our server"] = [2]maker{pionClient, ourServer(e)}
	}
	return all
}

func exported(t *testing.T, c peerConn) []byte {
	t.Helper()
	var key []byte
	var err error
	switch c := c.(type) {
	case *Conn:
		key, err = c.ExportKeyingMaterial("EXPORTER-test", nil, 40)
	case *dtls.Conn:
		state := c.ConnectionState()
		key, err = state.ExportKeyingMaterial("EXPORTER-test", nil, 40)
	}
	must(t, err)
	return key
}

// chain is the certificates that a side saw of the other.
func chain(c peerConn) [][]byte {
	if c, ok := c.(*Conn); ok {
		return c.PeerCertificates()
	}
	state := c.(*dtls.Conn).ConnectionState()
	return state.PeerCertificates
}

func TestEverySuite(t *testing.T) {
	e := newEngine(t)
	for i := range suites {
		s := &suites[i]
		for name, pair := range pairings(e, s) {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				cc, sc := configs(t, s.id)
				c, srv := connect(t, newPipe(), pair[0], pair[1], cc, sc)
				exchange(t, c, srv)
				if a, b := exported(t, c), exported(t, srv); !bytes.Equal(a, b) {
					t.Errorf("exported %x and %x", a, b)
				}
				if s.auth != byPSK && !bytes.Equal(chain(c)[0], sc.Certificates[0].Certificate[0]) {
					t.Error("the client does not have the server's certificate")
				}
				for _, side := range []peerConn{c, srv} {
					if ours, ok := side.(*Conn); ok && ours.Suite() != s.id {
						t.Errorf("suite %v", ours.Suite())
					}
				}
			})
		}
	}
}

func TestWithoutExtendedMasterSecret(t *testing.T) {
	e := newEngine(t)
	s, err := suiteOf(gcm128)
	must(t, err)
	for name, pair := range pairings(e, s) {
		t.Run(name, func(t *testing.T) {
			cc, sc := configs(t, gcm128)
			cc.ExtendedMasterSecret = dtls.DisableExtendedMasterSecret
			c, srv := connect(t, newPipe(), pair[0], pair[1], cc, sc)
			exchange(t, c, srv)
		})
	}
}

func TestMutualAuthenticationAtMTU100(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256} {
		s, err := suiteOf(id)
		must(t, err)
		for name, pair := range pairings(e, s) {
			t.Run(SuiteName(id)+"/"+name, func(t *testing.T) {
				cc, sc := configs(t, id)
				own := certificate(t, s.auth)
				cc.Certificates, cc.MTU = []tls.Certificate{own}, 100
				sc.ClientAuth, sc.ClientCAs, sc.MTU = dtls.RequireAndVerifyClientCert, poolOf(own), 100
				c, srv := connect(t, newPipe(), pair[0], pair[1], cc, sc)
				exchange(t, c, srv)
				if got := chain(srv); len(got) != 1 || !bytes.Equal(got[0], own.Certificate[0]) {
					t.Errorf("the server saw %d certificates", len(got))
				}
			})
		}
	}
}

func TestCertificateOfAStrangerFails(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
		cc, sc := configs(t, id)
		cc.RootCAs = poolOf(certificate(t, byECDSA))
		_, _, cerr, serr := try(patience(t), newPipe(), ourClient(e), ourServer(e), cc, sc)
		wantErr(t, cerr, ErrHandshake)
		wantErr(t, serr, ErrHandshake)
	}
}

func TestPSKIdentity(t *testing.T) {
	client, server := ours(t, newPipe(), TLS_PSK_WITH_CHACHA20_POLY1305_SHA256)
	exchange(t, client, server)
	if got := string(server.IdentityHint()); got != "identity" {
		t.Errorf("the server saw identity %q", got)
	}
	if client.PeerCertificates() != nil {
		t.Error("certificates with a pre-shared key")
	}
}

func TestWrongPSKFails(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256, TLS_PSK_WITH_CHACHA20_POLY1305_SHA256} {
		cc, sc := configs(t, id)
		cc.PSK = func([]byte) ([]byte, error) { return []byte{1}, nil }
		ctx, cancel := contextFor(300)
		_, _, cerr, serr := try(ctx, newPipe(), ourClient(e), ourServer(e), cc, sc)
		cancel()
		wantErr(t, cerr, ErrHandshake)
		wantErr(t, serr, ErrHandshake)
	}
}

func TestALPN(t *testing.T) {
	for _, mtu := range []int{0, 100} {
		for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
			cc, sc := configs(t, id)
			cc.SupportedProtocols = []string{"other", "a-protocol-of-some-length"}
			sc.SupportedProtocols = []string{"a-protocol-of-some-length"}
			cc.MTU, sc.MTU = mtu, mtu
			c, s := oursWith(t, newPipe(), cc, sc)
			exchange(t, c, s)
			for _, side := range []*Conn{c, s} {
				if got := side.SelectedProtocol(); got != "a-protocol-of-some-length" {
					t.Errorf("selected %q", got)
				}
			}
		}
	}
	c, _ := ours(t, newPipe(), gcm128)
	if got := c.SelectedProtocol(); got != "" {
		t.Errorf("selected %q without ALPN", got)
	}
}

func TestSRTPProfile(t *testing.T) {
	cc, sc := configs(t, gcm128)
	cc.SRTPProtectionProfiles = []dtls.SRTPProtectionProfile{dtls.SRTP_AEAD_AES_128_GCM}
	sc.SRTPProtectionProfiles = cc.SRTPProtectionProfiles
	c, s := oursWith(t, newPipe(), cc, sc)
	for _, side := range []*Conn{c, s} {
		if got, ok := side.SRTPProfile(); !ok || got != dtls.SRTP_AEAD_AES_128_GCM {
			t.Errorf("profile %v, %v", got, ok)
		}
	}
}

func TestExporterContexts(t *testing.T) {
	client, server := ours(t, newPipe(), TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256)
	seen := map[string]bool{}
	for _, context := range [][]byte{nil, {}, []byte("context")} {
		a, err := client.ExportKeyingMaterial("EXPORTER-test", context, 32)
		must(t, err)
		b, err := server.ExportKeyingMaterial("EXPORTER-test", context, 32)
		must(t, err)
		if !bytes.Equal(a, b) || seen[string(a)] {
			t.Errorf("context %q exported %x and %x", context, a, b)
		}
		seen[string(a)] = true
	}
	if _, err := client.ExportKeyingMaterial("key expansion", nil, 32); err == nil {
		t.Error("the label of the key block was exported")
	}
	if _, err := client.ExportKeyingMaterial("x", nil, -1); err == nil {
		t.Error("a negative length was exported")
	}
}

func TestKeyLogIsForwarded(t *testing.T) {
	var ours, pions bytes.Buffer
	cc, sc := configs(t, gcm128)
	cc.KeyLogWriter, sc.KeyLogWriter = &ours, &pions
	e := newEngine(t)
	c, s := connect(t, newPipe(), ourClient(e), pionServer, cc, sc)
	exchange(t, c, s)
	if ours.String() != pions.String() || !bytes.HasPrefix(ours.Bytes(), []byte("CLIENT_RANDOM ")) {
		t.Errorf("key logs %q and %q", ours.String(), pions.String())
	}
}

func TestWithoutSuitesTheFirstCommonIsTaken(t *testing.T) {
	cc, sc := configs(t, gcm128)
	cc.CipherSuites, sc.CipherSuites = nil, nil
	c, s := oursWith(t, newPipe(), cc, sc)
	exchange(t, c, s)
	if c.Suite() != gcm128 {
		t.Errorf("suite %s", SuiteName(c.Suite()))
	}
	cc, sc = configs(t, gcm128)
	cc.CipherSuites = []dtls.CipherSuiteID{TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, gcm128}
	sc.CipherSuites = nil
	c, _ = oursWith(t, newPipe(), cc, sc)
	if c.Suite() != TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 {
		t.Errorf("suite %s", SuiteName(c.Suite()))
	}
}
