package dtlsadapter

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// opensslArgs are those of both sides. CCM_8 is below OpenSSL's default security level.
func opensslArgs(t *testing.T, s *suite, f foreign, sc *dtls.Config) []string {
	t.Helper()
	args := []string{"-dtls1_2", "-cipher", f.openssl + ":@SECLEVEL=0", "-keymatexport", "EXPORTER-test", "-keymatexportlen", "40"}
	if s.auth == byPSK {
		return append(args, "-psk", "abc12345", "-psk_identity", "identity")
	}
	cert, key := files(t, sc.Certificates[0])
	return append(args, "-cert", cert, "-key", key)
}

func wantExport(t *testing.T, p *program, c *Conn) {
	t.Helper()
	line := p.wants("Keying material: ")
	ours := strings.ToUpper(hex.EncodeToString(exported(t, c)))
	if !strings.HasSuffix(line, ours) {
		t.Errorf("it exported %q, we %s", line, ours)
	}
}

// TestOpenSSLServer connects to openssl s_server, which prints what it receives and
// sends what it reads.
func TestOpenSSLServer(t *testing.T) {
	eachSuite(t, "openssl", func(t *testing.T, s *suite, f foreign) {
		cc, sc := configs(t, s.id)
		port := freePort(t)
		args := append([]string{"s_server", "-accept", "127.0.0.1:" + port}, opensslArgs(t, s, f, sc)...)
		if s.auth == byPSK {
			args = append(args, "-nocert")
		}
		p := launch(t, "openssl", args...)
		c := dialForeign(t, port, cc)
		_, err := c.Write([]byte("hello from us\n"))
		must(t, err)
		p.wants("hello from us")
		wantExport(t, p, c)
		_, err = p.stdin.Write([]byte("hello from s_server\n"))
		must(t, err)
		wantRead(t, c, "hello from s_server\n")
		must(t, c.Close())
		p.wants("DONE")
	})
}

// TestOpenSSLClient serves openssl s_client.
func TestOpenSSLClient(t *testing.T) {
	eachSuite(t, "openssl", func(t *testing.T, s *suite, f foreign) {
		_, sc := configs(t, s.id)
		port, accepted := echoes(t, sc)
		p := launch(t, "openssl", append([]string{"s_client", "-connect", "127.0.0.1:" + port}, opensslArgs(t, s, f, sc)...)...)
		c := accepted()
		_, err := p.stdin.Write([]byte("hello from s_client\n"))
		must(t, err)
		p.wants("hello from s_client")
		wantExport(t, p, c)
		must(t, c.Close())
		p.wants("closed")
	})
}

// TestOpenSSLClientCertificate has both sides present one.
func TestOpenSSLClientCertificate(t *testing.T) {
	peertest.Program(t, "openssl")
	for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
		s, err := suiteOf(id)
		must(t, err)
		_, sc := configs(t, id)
		sc.ClientAuth, sc.ClientCAs = dtls.RequireAndVerifyClientCert, poolOf(sc.Certificates[0])
		port, accepted := echoes(t, sc)
		p := launch(t, "openssl", append([]string{"s_client", "-connect", "127.0.0.1:" + port}, opensslArgs(t, s, foreigners[id], sc)...)...)
		c := accepted()
		_, err = p.stdin.Write([]byte("hello\n"))
		must(t, err)
		p.wants("hello")
		if len(c.PeerCertificates()) != 1 {
			t.Errorf("%d certificates", len(c.PeerCertificates()))
		}
	}
}
