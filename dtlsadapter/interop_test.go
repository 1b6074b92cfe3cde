package dtlsadapter

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// foreign is what other programs call a suite.
type foreign struct {
	openssl  string
	exchange string // GnuTLS's name of the key exchange
	gnutls   string
}

var foreigners = map[dtls.CipherSuiteID]foreign{
	dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:  {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA", "AES-128-GCM"},
	dtls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:    {"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA", "AES-128-GCM"},
	dtls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:  {"ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA", "AES-256-GCM"},
	dtls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384:    {"ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA", "AES-256-GCM"},
	TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: {"ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA", "CHACHA20-POLY1305"},
	TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256:   {"ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA", "CHACHA20-POLY1305"},
	dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM:         {"ECDHE-ECDSA-AES128-CCM", "ECDHE-ECDSA", "AES-128-CCM"},
	dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8:       {"ECDHE-ECDSA-AES128-CCM8", "ECDHE-ECDSA", "AES-128-CCM-8"},
	dtls.TLS_PSK_WITH_AES_128_GCM_SHA256:          {"PSK-AES128-GCM-SHA256", "PSK", "AES-128-GCM"},
	TLS_PSK_WITH_CHACHA20_POLY1305_SHA256:         {"PSK-CHACHA20-POLY1305", "PSK", "CHACHA20-POLY1305"},
	dtls.TLS_PSK_WITH_AES_128_CCM:                 {"PSK-AES128-CCM", "PSK", "AES-128-CCM"},
	dtls.TLS_PSK_WITH_AES_128_CCM_8:               {"PSK-AES128-CCM8", "PSK", "AES-128-CCM-8"},
	dtls.TLS_PSK_WITH_AES_256_CCM_8:               {"PSK-AES256-CCM8", "PSK", "AES-256-CCM-8"},
}

// program is a foreign one that runs, with what it has printed.
type program struct {
	t     *testing.T
	stdin io.WriteCloser
	mu    sync.Mutex
	lines []string
	more  chan struct{}
}

func launch(t *testing.T, name string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	out, in, err := os.Pipe()
	must(t, err)
	cmd.Stdout, cmd.Stderr = in, in
	must(t, cmd.Start())
	_ = in.Close()
	p := &program{t: t, stdin: stdin, more: make(chan struct{}, 1)}
	read := make(chan struct{})
	go p.read(out, read)
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		<-read
		_ = out.Close()
		if t.Failed() {
			t.Logf("%s %s printed:\n%s", name, strings.Join(args, " "), p.printed())
		}
	})
	return p
}

func (p *program) read(from io.Reader, done chan<- struct{}) {
	defer close(done)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
	}
}

func (p *program) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// wants waits until the program has printed a text, and returns the line.
func (p *program) wants(text string) string {
	p.t.Helper()
	timeout := time.After(long)
	for {
		for _, line := range strings.Split(p.printed(), "\n") {
			if strings.Contains(line, text) {
				return line
			}
		}
		select {
		case <-p.more:
		case <-timeout:
			p.t.Fatalf("%q was not printed", text)
		}
	}
}

// files writes a certificate and its key for a program.
func files(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}

func freePort(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(peertest.FreePort(t))
}

// dialForeign connects to a program that may not listen yet.
func dialForeign(t *testing.T, port string, cfg *dtls.Config) *Conn {
	t.Helper()
	cfg.FlightInterval = 100 * time.Millisecond
	address, err := net.ResolveUDPAddr("udp4", "127.0.0.1:"+port)
	must(t, err)
	c, err := Client(patience(t), dial(t, address), cfg, newEngine(t))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// echoes listens and sends back whatever its one client says; accepted waits for it.
func echoes(t *testing.T, cfg *dtls.Config) (port string, accepted func() *Conn) {
	t.Helper()
	l := listen(t, newEngine(t), cfg)
	conns := make(chan *Conn, 1)
	go func() {
		if c, err := l.AcceptConn(); err == nil {
			t.Cleanup(func() { _ = c.Close() })
			conns <- c
			echo(c)
		}
	}()
	return fmt.Sprint(l.Addr().(*net.UDPAddr).Port), func() *Conn {
		select {
		case c := <-conns:
			return c
		case <-time.After(long):
			t.Fatal("the client has not come")
			return nil
		}
	}
}

func talks(t *testing.T, c *Conn, say, want string) {
	t.Helper()
	_, err := c.Write([]byte(say))
	must(t, err)
	must(t, c.SetReadDeadline(time.Now().Add(long)))
	buffer := make([]byte, 2000)
	n, err := c.Read(buffer)
	if err != nil || string(buffer[:n]) != want {
		t.Fatalf("received %q, %v, want %q", buffer[:n], err, want)
	}
}

// eachSuite runs a test for every suite, under the name of the program's side.
func eachSuite(t *testing.T, name string, test func(t *testing.T, s *suite, f foreign)) {
	peertest.Program(t, name)
	for i := range suites {
		s := &suites[i]
		f, ok := foreigners[s.id]
		if !ok {
			t.Fatalf("%v has no foreign name", s)
		}
		t.Run(s.name, func(t *testing.T) { test(t, s, f) })
	}
}
