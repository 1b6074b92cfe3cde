package main

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// TestFarSideOfTestpmd sees each packet of the capture and then counts what comes.
func TestFarSideOfTestpmd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	peertest.Program(t, "dpdk-testpmd")
	g, err := newGatewayCell(t.TempDir(), 256)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := g.testpmdFar(100 * time.Millisecond)
	if err != nil || cost <= 0 || cost > 1e6 {
		t.Errorf("%f ns a packet, %v", cost, err)
	}
}

// TestProgramThatDoesNotMeet has ended, and what it said is told.
func TestProgramThatDoesNotMeet(t *testing.T) {
	_, err := meet(t.TempDir()+"/s", exec.Command("sh", "-c", "echo no such device; exit 3"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !bytes.Contains([]byte(err.Error()), []byte("no such device")) {
		t.Errorf("%v", err)
	}
}

// TestEveryPacketMustBeFound as it was sent, with one hop less.
func TestEveryPacketMustBeFound(t *testing.T) {
	const size = 64
	g := &gatewayCell{size: size}
	from := func(change func(number int, p []byte) []byte) func() ([]byte, error) {
		next := -1
		return func() ([]byte, error) {
			if next++; next > 3*captured {
				return nil, errors.New("over")
			}
			return change(next, aged(plainPacket(next%captured, size))), nil
		}
	}
	for name, c := range map[string]struct {
		good   bool
		change func(number int, p []byte) []byte
	}{
		"all, twice over":                     {true, func(_ int, p []byte) []byte { return p }},
		"with padding behind":                 {true, func(_ int, p []byte) []byte { return append(p, 1, 2, 3) }},
		"behind an answer":                    {true, func(n int, p []byte) []byte { return p[:map[bool]int{true: 8, false: size}[n == 0]] }},
		"one bit is wrong":                    {false, func(n int, p []byte) []byte { p[40] ^= byte(n / 63); return p }},
		"one that is wrong comes right later": {false, func(n int, p []byte) []byte { p[40] ^= byte(5 / max(5, n) * (n / 5)); return p }},
		"one never comes":                     {false, func(n int, p []byte) []byte { return aged(plainPacket(n%captured%63, size)) }},
		"none is right":                       {false, func(_ int, p []byte) []byte { return p[:20] }},
		"the hop limit is not counted":        {false, func(n int, _ []byte) []byte { return plainPacket(n%captured, size) }},
		"what came goes over to nonsense":     {false, func(n int, p []byte) []byte { return p[:max(0, size-n)] }},
	} {
		if err := g.findAll(from(c.change)); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFarSocketSkipsWhatIsNoIPv4(t *testing.T) {
	f := &far{frames: make(chan []byte, 4)}
	s := &farSocket{far: f, closed: make(chan struct{})}
	f.frames <- []byte{1, 2, 3}
	f.frames <- make([]byte, 60) // of type 0
	datagram := make([]byte, dtlsAt, 60)
	datagram[12], datagram[dtlsAt-3] = 8, 8+5
	f.frames <- append(datagram, "helloAndPadding"...)
	b := make([]byte, 100)
	if n, err := s.Read(b); err != nil || string(b[:n]) != "hello" {
		t.Errorf("%q, %v", b[:n], err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(b); err == nil {
		t.Error("reads on")
	}
}
