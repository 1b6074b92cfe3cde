package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/engine"
)

// engineForFuzz is one engine for all inputs.
var engineForFuzz = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{}) })

func addrPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// TestCaptureWithoutQUIC is told of, and is no failure; a file that is none is named.
func TestCaptureWithoutQUIC(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "empty.pcap")
	header := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 101, 0, 0, 0}
	if err := os.WriteFile(file, header, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := quicdump(file); code != exitOK || stdout != "" || stderr != "quicdump: "+file+": no QUIC in this capture\n" {
		t.Errorf("exit code %d: %q, %q", code, stdout, stderr)
	}
	if err := os.WriteFile(file, []byte("this is no capture, it is text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := quicdump(file); code != exitFailed || !strings.HasPrefix(stderr, "quicdump: "+file+": ") {
		t.Errorf("exit code %d: %q", code, stderr)
	}
}
