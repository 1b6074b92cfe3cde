package dataplane

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// swiftEnd is a device that does part of the host's work, unless it refuses.
type swiftEnd struct {
	*end
	refuses  bool
	took     int // packets that it put headers to
	received int // times that it was asked to receive and to look
}

func (e *swiftEnd) ReceiveTransit(b *ethernet.Burst, g *ethernet.Glance, sizes *[ethernet.MaxBurst]int) ethernet.Passed {
	e.received++
	e.Receive(b)
	return g.Transit(b.Frames[:b.N], sizes[:])
}

func (e *swiftEnd) ExchangeBehind(b *ethernet.Burst, h *ethernet.Header) (int, bool) {
	for i := range b.Frames[:b.N] {
		if d := &b.Frames[i]; e.refuses || d.Drop != record.DropNone || b.Buffers[i] == 0 || d.Len > h.Longest {
			return 0, false
		}
	}
	e.took += b.N
	_, protected := newHosts()
	protected.FramesTo(b.Frames[:b.N], protected.Hop(peerAddr), h.Longest)
	return e.Exchange(b), true
}

// TestSwiftDevices make no difference to what comes out and what is counted, whether they take
// the work or not.
func TestSwiftDevices(t *testing.T) {
	whole := framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 100))
	bursts := [][][]byte{
		{whole, whole, whole},
		{whole, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 1, 100)), whole}, // the second has lived too long
		{framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 1490)), whole},      // the first is too long for the path
		{whole, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.9.9.9", 64, 100))},       // the second has no way
		{framed(plainMAC, hostMAC, ipv6("2001:db8:1::9", "2001:db8:2::1", 64, 100)), whole, arpRequest(hostMAC, "10.1.0.9", "10.1.0.1")},
		{whole, framed(plainMAC, hostMAC, ipv6("2001:db8:1::9", "2001:db8:9::1", 64, 100))}, // odd ones
	}
	var want *bench
	for _, refuses := range []bool{true, false} {
		for _, swift := range []bool{false, true} {
			b := newBench(t)
			b.learn(t)
			b.worker.turns = true
			plain, protected := &swiftEnd{end: b.plain}, &swiftEnd{end: b.protected, refuses: refuses}
			if swift {
				b.worker.plain.swift, b.worker.protected.swift = plain, protected
			}
			for i, frames := range bursts {
				b.plain.in = frames
				if i == 0 { // something comes while that is sent
					back := seal(t, inKey, 0x1002, 1, ipv4("10.2.3.4", "10.1.0.9", 64, 60))
					b.protected.in = [][]byte{framed(protectedMAC, peerMAC, back)}
				}
				if !b.outward() || b.inward() != (i == 0) {
					t.Error("not carried, or something came back")
				}
			}
			if swift && (plain.received != len(bursts) || (protected.took == 3) == refuses) {
				t.Errorf("refuses %v: received %d times, put headers to %d", refuses, plain.received, protected.took)
			}
			if want == nil {
				want = b
				continue
			}
			same(t, b, want)
		}
	}
}

// same reports that what two gateways sent and counted differs.
func same(t *testing.T, a, b *bench) {
	t.Helper()
	for i, ends := range [][2]*end{{a.plain, b.plain}, {a.protected, b.protected}} {
		if len(ends[0].out) != len(ends[1].out) {
			t.Fatalf("side %d: %d frames, want %d", i, len(ends[0].out), len(ends[1].out))
		}
		for j, frame := range ends[0].out {
			if !bytes.Equal(frame, ends[1].out[j]) {
				t.Errorf("side %d, frame %d: %x, want %x", i, j, frame, ends[1].out[j])
			}
		}
	}
	flow, want := a.count.Out.Flow(), b.count.Out.Flow()
	if flow.Packets != want.Packets || flow.Bytes != want.Bytes || a.count.Out.Drops() != b.count.Out.Drops() {
		t.Errorf("counted %+v, want %+v", flow, want)
	}
}
