package credentials_test

import (
	"context"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
)

// handshake runs both configurations against each other.
func handshake(t *testing.T, client, server *dtls.Config) error {
	t.Helper()
	return handshakeWithin(t, 30*time.Second, client, server)
}

func handshakeWithin(t *testing.T, limit time.Duration, client, server *dtls.Config) error {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	a, b := memory.Conns(64, 1<<15)
	var ends [2]*dtlsadapter.Conn
	var errs [2]error
	var both sync.WaitGroup
	both.Go(func() { ends[0], errs[0] = dtlsadapter.Client(ctx, a, client, e) })
	both.Go(func() { ends[1], errs[1] = dtlsadapter.Server(ctx, b, server, e) })
	both.Wait()
	for _, end := range ends {
		if end != nil {
			end.Close()
		}
	}
	return errors.Join(errs[0], errs[1])
}

func generate(t *testing.T, dir string, names ...string) {
	t.Helper()
	if _, err := credentials.Generate(dir, names); err != nil {
		t.Fatal(err)
	}
}

func files(dir, name string) credentials.Files {
	return credentials.Files{
		Cert: filepath.Join(dir, name+".pem"), Key: filepath.Join(dir, name+".key"), CA: filepath.Join(dir, "ca.pem"),
	}
}

func configs(t *testing.T, client, server credentials.Files) (c, s *dtls.Config) {
	t.Helper()
	c, err := client.Client(nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = server.Server(nil); err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestGeneratedCertificatesConnect(t *testing.T) {
	dir := t.TempDir()
	generate(t, dir, "gate.example")
	generate(t, dir, "alice", "192.0.2.1") // under the authority that is there
	for _, server := range []string{"gate.example", "192.0.2.1"} {
		client := files(dir, "alice")
		client.ServerName = server
		c, s := configs(t, client, files(dir, server))
		if err := handshake(t, c, s); err != nil {
			t.Errorf("to %s: %v", server, err)
		}
	}
}

func TestStrangersAreRefused(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	generate(t, dir, "gate.example", "alice")
	generate(t, elsewhere, "alice")

	client := files(dir, "alice")
	client.ServerName = "other.example"
	c, s := configs(t, client, files(dir, "gate.example"))
	if handshake(t, c, s) == nil {
		t.Error("a client took a server of another name")
	}
	stranger := files(elsewhere, "alice")
	stranger.CA, stranger.ServerName = filepath.Join(dir, "ca.pem"), "gate.example"
	c, s = configs(t, stranger, files(dir, "gate.example"))
	if handshake(t, c, s) == nil {
		t.Error("a server took a client of another authority")
	}
	c.Certificates = nil
	if handshake(t, c, s) == nil {
		t.Error("a server took a client without a certificate")
	}
}

func TestKeysAreTheOwnersAloneAndStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := t.TempDir()
	generate(t, dir, "gate")
	for _, name := range []string{"ca.key", "gate.key"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, "gate.key"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := credentials.Generate(dir, []string{"gate"}); !errors.Is(err, credentials.ErrExists) {
		t.Errorf("a second certificate of one name: %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "gate.key")); err != nil || string(after) != string(before) {
		t.Error("the key changed")
	}
	for _, name := range []string{"ca", "../gate", "a/b"} {
		if _, err := credentials.Generate(dir, []string{name}); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
}

func pskFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPSK(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	if err := credentials.GeneratePSKs(path, []string{"alice", "bob"}); err != nil {
		t.Fatal(err)
	}
	if err := credentials.GeneratePSKs(path, []string{"carol"}); err != nil {
		t.Fatal(err)
	}
	if credentials.GeneratePSKs(path, []string{"bob"}) == nil {
		t.Error("a second key of one identity")
	}
	for _, identity := range []string{"", "bob", "carol"} {
		c, s := configs(t, credentials.Files{PSK: path, Identity: identity}, credentials.Files{PSK: path})
		if err := handshake(t, c, s); err != nil {
			t.Errorf("identity %q: %v", identity, err)
		}
	}
	other := pskFile(t, "alice:"+strings.Repeat("42", 32))
	c, s := configs(t, credentials.Files{PSK: other}, credentials.Files{PSK: path})
	if handshakeWithin(t, 2*time.Second, c, s) == nil { // nobody answers a wrong key
		t.Error("a wrong key was taken")
	}
	if _, err := (&credentials.Files{PSK: path, Identity: "mallory"}).Client(nil); err == nil {
		t.Error("an identity without a key was taken")
	}
}

func TestPSKFilesAreChecked(t *testing.T) {
	good := strings.Repeat("ab", 16)
	if _, err := credentials.LoadPSKs(pskFile(t, "# comment\n\n a:"+good+" \n")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "# nothing", "alice", "alice:", ":" + good, "alice:zz" + good, "alice:" + good[2:], "a:" + good + "\na:" + good} {
		_, err := credentials.LoadPSKs(pskFile(t, bad))
		if err == nil || strings.Contains(err.Error(), "abab") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestFilesThatDoNotFit(t *testing.T) {
	for _, f := range []credentials.Files{
		{}, {Cert: "a", Key: "b"}, {CA: "c"}, {PSK: "d", CA: "c"}, {Cert: "a", Key: "b", CA: "c", PSK: "d"},
	} {
		if _, err := f.Server(nil); !errors.Is(err, credentials.ErrFiles) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	dir := t.TempDir()
	generate(t, dir, "gate")
	f := files(dir, "gate")
	f.CA = f.Key
	if _, err := f.Server(nil); err == nil {
		t.Error("a key was taken for an authority")
	}
}

func TestThrowawayServesEverySuite(t *testing.T) {
	for _, suite := range dtlsadapter.Suites() {
		c, s, err := credentials.Throwaway([]dtls.CipherSuiteID{suite})
		if err != nil {
			t.Fatal(err)
		}
		if err := handshake(t, c, s); err != nil {
			t.Errorf("%s: %v", dtlsadapter.SuiteName(suite), err)
		}
	}
	mixed := []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_CCM, dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM}
	if _, _, err := credentials.Throwaway(mixed); !errors.Is(err, credentials.ErrMixedSuites) {
		t.Errorf("suites of two kinds: %v", err)
	}
}

func TestSuitesByName(t *testing.T) {
	ids, err := credentials.Suites([]string{"TLS_PSK_WITH_AES_128_CCM_8"})
	if err != nil || len(ids) != 1 || ids[0] != dtls.TLS_PSK_WITH_AES_128_CCM_8 {
		t.Error(ids, err)
	}
	for _, bad := range []string{"", "TLS_PSK_WITH_AES_128_CBC_SHA256", "aes"} {
		if _, err := credentials.Suites([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestAuthorityIsOne(t *testing.T) {
	a, err := credentials.NewAuthority("name")
	if err != nil {
		t.Fatal(err)
	}
	cert, err := a.Issue("gate.example")
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		if _, err := leaf.Verify(x509.VerifyOptions{DNSName: "gate.example", Roots: a.Pool(), KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
			t.Error(err)
		}
	}
}
