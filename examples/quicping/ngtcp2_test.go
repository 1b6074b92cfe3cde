package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// gtlsserver starts ngtcp2's server and returns its address.
func gtlsserver(t *testing.T, folder string, flags ...string) (address string) {
	t.Helper()
	program := peertest.Program(t, "gtlsserver")
	port := peertest.FreePort(t)
	args := append(flags, "127.0.0.1", fmt.Sprint(port), filepath.Join(folder, "key.pem"), filepath.Join(folder, "cert.pem"))
	cmd := exec.Command(program, args...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	address = fmt.Sprintf("127.0.0.1:%d", port)
	for range 100 { // until its socket is there
		if code, _, _ := quicping("-insecure", "-count", "1", "-timeout", "500ms", address); code == exitOK {
			return address
		}
		time.Sleep(20 * time.Millisecond)
	}
	said, _ := os.ReadFile(log.Name())
	t.Fatalf("gtlsserver does not answer: %s", said)
	return ""
}

// Go's crypto/tls leaves the choice of the suite to the server, and has no CCM.
func TestNgtcp2WithEachSuite(t *testing.T) {
	folder := identity(t)
	for _, suite := range []struct{ gnutls, name string }{
		{"AES-128-GCM", "TLS_AES_128_GCM_SHA256"},
		{"AES-256-GCM", "TLS_AES_256_GCM_SHA384"},
		{"CHACHA20-POLY1305", "TLS_CHACHA20_POLY1305_SHA256"},
	} {
		t.Run(suite.gnutls, func(t *testing.T) {
			address := gtlsserver(t, folder, "-q", "--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+"+suite.gnutls)
			code, stdout, stderr := quicping("-ca", filepath.Join(folder, "cert.pem"), "-name", "localhost",
				"-count", "4", "-interval", "5ms", "-update", address)
			if code != exitOK {
				t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
			}
			for _, want := range []string{suite.name, "verified", "4 answered, 0% lost, 3 key updates"} {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in\n%s", want, stdout)
				}
			}
		})
	}
}

func TestNgtcp2WithRetryAndVersionNegotiation(t *testing.T) {
	folder := identity(t)
	address := gtlsserver(t, folder, "-q", "--validate-addr")
	code, stdout, stderr := quicping("-ca", filepath.Join(folder, "cert.pem"), "-name", "localhost", "-v2", "-count", "2", "-interval", "5ms", address)
	if code != exitOK || !strings.Contains(stdout, "QUIC v1") || !strings.Contains(stdout, "does not speak QUIC v2") || !strings.Contains(stdout, "after a Retry") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
