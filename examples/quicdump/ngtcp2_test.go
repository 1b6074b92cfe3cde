package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// ngtcp2 is a client and a server that are not Go's, and that have every suite.
type ngtcp2 struct {
	client, server string // programs
	folder         string // with key.pem, cert.pem, and htdocs/file
	priorities     string // GnuTLS's name for one suite
}

func newNgtcp2(t *testing.T, suite string) *ngtcp2 {
	t.Helper()
	n := &ngtcp2{
		client: peertest.Program(t, "gtlsclient"), server: peertest.Program(t, "gtlsserver"), folder: t.TempDir(),
		priorities: "--ciphers=NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+" + suite,
	}
	cert, _ := peertest.Certificate(t, "localhost")
	private, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(n.folder, "htdocs"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cert.pem":    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}),
		"key.pem":     pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		"htdocs/file": bytes.Repeat([]byte("sixteen bytes..."), fileSize/16),
	} {
		if err := os.WriteFile(filepath.Join(n.folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// serve starts the server and returns its address.
func (n *ngtcp2) serve(t *testing.T) *net.UDPAddr {
	t.Helper()
	address := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: peertest.FreePort(t)}
	cmd := exec.Command(n.server, "-q", "-d", "htdocs", n.priorities, "127.0.0.1", fmt.Sprint(address.Port), "key.pem", "cert.pem")
	cmd.Dir = n.folder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return address
}

// fetch gets the file and updates keys meanwhile. It fails while the server is not there.
func (n *ngtcp2) fetch(to *net.UDPAddr, keylog string) error {
	cmd := exec.Command(n.client, "-q", "--exit-on-all-streams-close", "--key-update=1ms", n.priorities,
		"127.0.0.1", fmt.Sprint(to.Port), "https://localhost/file")
	cmd.Env = append(os.Environ(), "SSLKEYLOGFILE="+keylog)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// transfer fetches the file through a tap and returns the capture and the key log.
func (n *ngtcp2) transfer(t *testing.T) (capture, keylog string, port int) {
	t.Helper()
	server := n.serve(t)
	for deadline := time.Now().Add(time.Minute); ; {
		err := n.fetch(server, filepath.Join(n.folder, "unused"))
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	capture, keylog = filepath.Join(n.folder, "capture.pcap"), filepath.Join(n.folder, "keys")
	pcap, err := os.Create(capture)
	if err != nil {
		t.Fatal(err)
	}
	p := newTap(t, server, pcap)
	if err := n.fetch(p.front.LocalAddr().(*net.UDPAddr), keylog); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock() // for good: the file is closed
	if err := pcap.Close(); err != nil {
		t.Fatal(err)
	}
	return capture, keylog, server.Port
}

// Both programs open what ngtcp2 sent under every suite that tshark 4.0 can decrypt.
func TestAgreesWithTsharkOnEverySuite(t *testing.T) {
	for _, suite := range []string{"AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305"} {
		t.Run(suite, func(t *testing.T) {
			t.Parallel()
			capture, keylog, port := newNgtcp2(t, suite).transfer(t)
			packets := dumped(t, capture, keylog)
			wholeFile(t, packets)
			compareWithTshark(t, tsharkOf(t, capture, keylog, port), summaries(packets))
		})
	}
}

// Neither Go's TLS nor tshark 4.0 has AES-128-CCM; ngtcp2's packets are authentic, and the
// file is there.
func TestOpensAES128CCMOfNgtcp2(t *testing.T) {
	t.Parallel()
	capture, keylog, _ := newNgtcp2(t, "AES-128-CCM").transfer(t)
	wholeFile(t, dumped(t, capture, keylog))
}

// wholeFile wants the file in stream 0, and a key update. ngtcp2 greases the fixed bit
// (RFC 9287) on some connections.
func wholeFile(t *testing.T, packets []packet) {
	t.Helper()
	end, phase := 0, uint64(0)
	for i := range packets {
		p := &packets[i]
		if p.Phase != nil {
			phase = max(phase, *p.Phase)
		}
		for _, f := range p.Frames {
			if f.Name == "STREAM" && f.ID == 0 && !p.Client {
				end = max(end, int(f.Offset)+f.Length)
			}
		}
	}
	if end <= fileSize || phase == 0 { // HTTP/3's own bytes are there too
		t.Errorf("%d bytes, %d key updates", end, phase)
	}
}
