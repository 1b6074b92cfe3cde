package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quic-go/quic-go"
	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// envServe makes the test binary a quic-go server, with the certificate in that folder.
const envServe = "QUICPING_TEST_SERVE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(envServe); folder != "" {
		if err := serve(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve runs a quic-go server until its standard input ends, and prints its address.
func serve(folder string) error {
	cert, err := tls.LoadX509KeyPair(filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem"))
	if err != nil {
		return err
	}
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	transport := &quic.Transport{Conn: udp, VerifySourceAddress: func(net.Addr) bool { return true }}
	listener, err := transport.Listen(&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h3"}, MinVersion: tls.VersionTLS13},
		&quic.Config{Versions: []quic.Version{quic.Version2, quic.Version1}})
	if err != nil {
		return err
	}
	go func() {
		for {
			if _, err := listener.Accept(context.Background()); err != nil {
				return
			}
		}
	}()
	fmt.Println(udp.LocalAddr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// identity writes cert.pem and key.pem for "localhost" to a new folder.
func identity(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	cert, _ := peertest.Certificate(t, "localhost")
	private, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// quicping runs the program.
func quicping(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// ownProcess starts the server as a process of its own and returns its address.
func ownProcess(t *testing.T, folder string, environment ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), envServe+"="+folder), environment...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	var address string
	if _, err := fmt.Fscanln(stdout, &address); err != nil {
		t.Fatal(err)
	}
	return address
}

func TestQuicGoInItsOwnProcess(t *testing.T) {
	folder := identity(t)
	address := ownProcess(t, folder)
	keylog := filepath.Join(t.TempDir(), "keys")
	code, stdout, stderr := quicping("-ca", filepath.Join(folder, "cert.pem"), "-name", "localhost", "-keylog", keylog,
		"-count", "3", "-interval", "10ms", "-wait", "30s", "-timeout", "30s", "-update", "-v2", address)
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"QUIC v2", "after a Retry", "ALPN h3", "verified", "seq=3", "phase=2/2", "3 pings, 3 answered, 0% lost, 2 key updates"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	log, err := os.ReadFile(keylog)
	if err != nil || !strings.Contains(string(log), "CLIENT_TRAFFIC_SECRET_0 ") {
		t.Errorf("key log: %v\n%s", err, log)
	}
}

// A Go server chooses ChaCha20 where it finds no AES instructions.
func TestQuicGoInItsOwnProcessWithChaCha20(t *testing.T) {
	folder := identity(t)
	address := ownProcess(t, folder, "GODEBUG=cpu.aes=off")
	for flag, version := range map[string]string{"-v2=false": "QUIC v1", "-v2": "QUIC v2"} {
		code, stdout, stderr := quicping("-ca", filepath.Join(folder, "cert.pem"), "-name", "localhost",
			"-count", "4", "-interval", "5ms", "-wait", "30s", "-timeout", "30s", "-update", flag, address)
		if code != exitOK || stderr != "" {
			t.Fatalf("%s: exit code %d: %s", flag, code, stderr)
		}
		for _, want := range []string{version, "after a Retry", "TLS_CHACHA20_POLY1305_SHA256", "4 answered, 0% lost, 3 key updates"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: no %q in\n%s", flag, want, stdout)
			}
		}
	}
}

func TestJSON(t *testing.T) {
	folder := identity(t)
	address := ownProcess(t, folder)
	code, stdout, stderr := quicping("--json", "-insecure", "-count", "2", "-interval", "1ms", "-wait", "30s", "-timeout", "30s", "-name", "localhost", address)
	var d document
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || code != exitOK || stderr != "" {
		t.Fatalf("%v, exit code %d: %s\n%s", err, code, stderr, stdout)
	}
	if d.Stats.Received != 2 || len(d.Pings) != 2 || d.Version != "QUIC v1" || d.Verified || !d.Retried || d.Stats.Min <= 0 || d.Suite == "" {
		t.Errorf("%+v", d)
	}
}

func TestFailureIsOneLine(t *testing.T) {
	silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, args := range [][]string{
		{"-timeout", "300ms", silent.LocalAddr().String()},
		{"-json", "-timeout", "300ms", silent.LocalAddr().String()},
		{"-ca", "/nowhere", "localhost"}, {"-keylog", "/nowhere/keys", "localhost"}, {"no.such.host.invalid"},
	} {
		code, _, stderr := quicping(args...)
		if code != exitFailed || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "quicping: ") {
			t.Errorf("%v: exit code %d: %q", args, code, stderr)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	if code, _, stderr := quicping("-help"); code != exitOK || !strings.Contains(stderr, "usage: quicping") {
		t.Errorf("exit code %d: %q", code, stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-count", "0", "localhost"}, {"-count", "x", "localhost"}, {"a", "b"}, {"a", "a"}, {"a", "-v2", "a"}, {"a", "-v2", "b"}, {"-nonsense", "a"}, {"-wait", "0s", "a"},
	} {
		if code, stdout, stderr := quicping(args...); code != exitUsage || stdout != "" || stderr == "" {
			t.Errorf("%v: exit code %d: %q", args, code, stderr)
		}
	}
}

func TestFlagsStandAnywhere(t *testing.T) {
	for _, args := range [][]string{
		{"-count", "7", "-v2", "host:1"}, {"host:1", "-count", "7", "-v2"}, {"-v2", "host:1", "-count", "7"}, {"--count=7", "host:1", "--v2"},
	} {
		o, err := parse(args, io.Discard)
		if err != nil || o.count != 7 || !o.v2 || o.address != "host:1" || o.name != "host" {
			t.Errorf("%v: %+v, %v", args, o, err)
		}
	}
	for in, want := range map[string]string{"host": "host:443", "::1": "[::1]:443", "[::1]": "[::1]:443", "[::1]:8": "[::1]:8"} {
		if o, err := parse([]string{in}, io.Discard); err != nil || o.address != want {
			t.Errorf("%s: %v, %v", in, o, err)
		}
	}
}
