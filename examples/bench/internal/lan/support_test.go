package lan

import (
	"bytes"
	"net"
	"sync/atomic"
	"testing"

	"github.com/sealburst/sealburst/engine"
)

// tapped is a cable's end that looks for the pattern in what goes by.
type tapped struct {
	net.Conn
	seen *atomic.Bool
}

func (c tapped) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if bytes.Contains(b[:n], pattern[:100]) {
		c.seen.Store(true)
	}
	return n, err
}

// pairOf joins two hosts.
func pairOf(t *testing.T, esp, ah string) (target, peer *Host, seen *atomic.Bool) {
	t.Helper()
	setup, err := NewSetup(esp, ah)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	e := newEngine(t)
	seen = new(atomic.Bool)
	return newHost(t, e, &setup, Target, tapped{a, seen}), newHost(t, e, &setup, Peer, b), seen
}

func newHost(t *testing.T, e *engine.Engine, s *Setup, side Side, c net.Conn) *Host {
	t.Helper()
	h, err := NewHost(e, s, side, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("the host failed: %v", err)
		}
	})
	return h
}
