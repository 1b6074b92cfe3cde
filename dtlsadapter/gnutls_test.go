package dtlsadapter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pion/dtls/v2"
)

func priority(f foreign) string {
	return "NONE:+VERS-DTLS1.2:+COMP-NULL:+SIGN-ALL:+GROUP-ALL:+MAC-ALL:+CTYPE-X509:+" + f.exchange + ":+" + f.gnutls
}

func gnutlsServerArgs(t *testing.T, s *suite, sc *dtls.Config) []string {
	t.Helper()
	if s.auth == byPSK {
		passwords := filepath.Join(t.TempDir(), "psk")
		must(t, os.WriteFile(passwords, []byte("identity:abc12345\n"), 0o600))
		return []string{"--pskpasswd", passwords}
	}
	cert, key := files(t, sc.Certificates[0])
	return []string{"--x509certfile", cert, "--x509keyfile", key, "--disable-client-cert"}
}

// TestGnuTLSServer connects to gnutls-serv, which echoes.
func TestGnuTLSServer(t *testing.T) {
	eachSuite(t, "gnutls-serv", func(t *testing.T, s *suite, f foreign) {
		cc, sc := configs(t, s.id)
		port := freePort(t)
		launch(t, "gnutls-serv", append([]string{"--udp", "--echo", "--port", port, "--priority", priority(f)}, gnutlsServerArgs(t, s, sc)...)...)
		c := dialForeign(t, port, cc)
		talks(t, c, "hello\n", "hello\n")
		talks(t, c, "again\n", "again\n")
	})
}

// TestGnuTLSClient serves gnutls-cli.
func TestGnuTLSClient(t *testing.T) {
	eachSuite(t, "gnutls-cli", func(t *testing.T, s *suite, f foreign) {
		_, sc := configs(t, s.id)
		port, accepted := echoes(t, sc)
		args := []string{"--udp", "--insecure", "--port", port, "--priority", priority(f), "127.0.0.1"}
		if s.auth == byPSK {
			args = append(args, "--pskusername", "identity", "--pskkey", "abc12345")
		}
		p := launch(t, "gnutls-cli", args...)
		c := accepted()
		_, err := p.stdin.Write([]byte("hello from gnutls-cli\n"))
		must(t, err)
		p.wants("hello from gnutls-cli")
		must(t, c.Close())
		if line := p.wants("Peer has closed"); !strings.Contains(line, "closed") {
			t.Error(line)
		}
	})
}
