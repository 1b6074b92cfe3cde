package lan

import (
	"net"
	"testing"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// TestTrialsThroughEveryKindOfProtection runs the four tests between two hosts, and looks
// at the cable: with IPsec no pattern may be seen on it, and nothing is dropped.
func TestTrialsThroughEveryKindOfProtection(t *testing.T) {
	for _, c := range []struct{ esp, ah string }{
		{"", ""}, {"aes128gcm16", ""}, {"aes128-sha256", ""}, {"3des-sha1", "md5"}, {"", "sha1"},
	} {
		t.Run(c.ah+"+"+c.esp, func(t *testing.T) {
			target, peer, seen := pairOf(t, c.esp, c.ah)
			if err := target.Serve(); err != nil {
				t.Fatal(err)
			}
			for _, trial := range Trials() {
				rate, err := peer.Run(trial, Effort{Bytes: 300_000, Time: 50 * time.Millisecond})
				if err != nil || rate <= 0 {
					t.Errorf("%s: %f, %v", trial, rate, err)
				}
			}
			for _, h := range []*Host{target, peer} {
				if drops := h.Drops(); drops.Dropped() != 0 {
					t.Errorf("drops %v", drops)
				}
			}
			if clear := c.esp == ""; seen.Load() != clear {
				t.Errorf("content seen on the cable: %v", seen.Load())
			}
		})
	}
}

// TestClearPacketsAreRefused: a host with IPsec takes nothing from one without.
func TestClearPacketsAreRefused(t *testing.T) {
	e := newEngine(t)
	a, b := net.Pipe()
	setup, err := NewSetup("aes128gcm16", "")
	if err != nil {
		t.Fatal(err)
	}
	target := newHost(t, e, &setup, Target, a)
	peer := newHost(t, e, &Setup{}, Peer, b)
	if err := target.Serve(); err != nil {
		t.Fatal(err)
	}
	if _, err := peer.echo(20 * time.Millisecond); err == nil {
		t.Error("a datagram in the clear was echoed")
	}
	for end := time.Now().Add(time.Minute); target.Drops()[record.DropType] == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("drops %v", target.Drops())
		}
	}
}

// TestBrokenCable: a stream that is no row of packets ends the host with an error.
func TestBrokenCable(t *testing.T) {
	a, b := net.Pipe()
	h, err := NewHost(newEngine(t), &Setup{}, Target, a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte{0xff, 0xff, 1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != errCable {
		t.Errorf("%v, want %v", err, errCable)
	}
}

func TestUnknownTransform(t *testing.T) {
	if _, err := NewSetup("rot13", ""); err == nil {
		t.Error("accepted")
	}
}

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{AllowLegacy: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}
