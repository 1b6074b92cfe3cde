package ipsecadapter

import (
	"sync/atomic"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// arrive opens what the oracle seals under those numbers, in one burst.
func arrive(t *testing.T, p *pair, o *oracle, numbers ...uint64) []record.Drop {
	t.Helper()
	var burst []record.Datagram
	for _, n := range numbers {
		esp := o.esp(n, n, udpPacket(host4[0], host4[1], nil), 4, 0)
		burst = append(burst, datagram(outerPacket(gateway4[0], gateway4[1], false, esp), 0, 0))
	}
	p.in.Unprotect(burst, nil)
	return causes(burst)
}

func wantCauses(t *testing.T, name string, got []record.Drop, want ...record.Drop) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: %v, want %v", name, got, want)
			return
		}
	}
}

const (
	fresh    = record.DropNone
	replayed = record.DropReplayed
	tooOld   = record.DropTooOld
	forged   = record.DropUnauthentic
)

func TestReplay(t *testing.T) {
	for _, window := range []int{0, 64, 256, 8192} {
		a := association4(AES128GCM16)
		p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, Window: window})
		o := newOracle(t, &a)
		size := uint64(max(window, 64))
		if p.receiver.Window() != int(size) {
			t.Errorf("window of %d", p.receiver.Window())
		}
		wantCauses(t, "a burst", arrive(t, p, o, 1, 3, 2, 3, 1), fresh, fresh, fresh, replayed, replayed)
		wantCauses(t, "later", arrive(t, p, o, 2, 4), replayed, fresh)
		wantCauses(t, "a jump", arrive(t, p, o, 1000+size, 1001, 1000, 1001), fresh, fresh, tooOld, replayed)
		if highest, ok := p.receiver.Highest(); !ok || highest != 1000+size {
			t.Errorf("highest %d", highest)
		}
	}
}

func TestNoReplayProtection(t *testing.T) {
	a := association4(AES128GCM16)
	p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, NoReplay: true})
	wantCauses(t, "without a window", arrive(t, p, newOracle(t, &a), 5, 5, 0, 100000, 5), fresh, fresh, fresh, fresh, fresh)
}

// TestForgeryMovesNoWindow sends a high number with a bad ICV.
func TestForgeryMovesNoWindow(t *testing.T) {
	a := association4(AES128GCM16)
	p := pairOf(t, a)
	o, forger := newOracle(t, &a), newOracle(t, &a)
	forger.salt = []byte("evil")
	wantCauses(t, "a forgery", arrive(t, p, forger, 100000), forged)
	wantCauses(t, "afterwards", arrive(t, p, o, 1, 2), fresh, fresh)
	wantCauses(t, "forged replays", arrive(t, p, forger, 1, 2, 3), replayed, replayed, forged)
	if p.receiver.Failed() != 2 {
		t.Errorf("%d failures", p.receiver.Failed())
	}
}

// TestESN crosses 2^32, out of order and both ways.
func TestESN(t *testing.T) {
	for _, transform := range Transforms() {
		a := association4(transform)
		a.ESN = true
		p := pairOf(t, a)
		o := newOracle(t, &a)
		const top = 1 << 32
		wantCauses(t, "number 0", arrive(t, p, o, 0), tooOld)
		wantCauses(t, "up to the end", arrive(t, p, o, 1, top/2-1, top-2), fresh, fresh, fresh)
		wantCauses(t, "across it", arrive(t, p, o, top+1, top-1, top), fresh, fresh, fresh)
		wantCauses(t, "again", arrive(t, p, o, top+1, top-1, top, top+2, top-3), replayed, replayed, replayed, fresh, fresh)
		wantCauses(t, "the low half alone", arrive(t, p, o, 3), forged)
		wantCauses(t, "half way", arrive(t, p, o, top+top/2), fresh)
		wantCauses(t, "the second time round", arrive(t, p, o, 2*top-1, 2*top+5), fresh, fresh)
	}
}

// TestESNHighHalfIsAuthenticated has the same low half under another high one.
func TestESNHighHalfIsAuthenticated(t *testing.T) {
	for _, transform := range Transforms() {
		a := association4(transform)
		a.ESN = true
		p := pairOf(t, a)
		wantCauses(t, transform.String(), arrive(t, p, newOracle(t, &a), 7<<32+1), forged)
	}
}

// TestFirstRefusesWhatWasBefore makes an SA anew behind the numbers of the one before.
func TestFirstRefusesWhatWasBefore(t *testing.T) {
	for _, window := range []int{32, 64, 8192} {
		for _, first := range []uint64{2, 31, 32, 33, 64, 65, 100, 8192, 8193, 20000, 1<<32 - 1} {
			a := association4(AES128GCM16)
			p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, Window: window, First: first})
			o := newOracle(t, &a)
			if highest, ok := p.receiver.Highest(); !ok || highest != first-1 {
				t.Errorf("window of %d: highest is %d, want %d", window, highest, first-1)
			}
			for back := uint64(1); back < first && back < 2*uint64(window); back += 1 + back/7 {
				want := replayed
				if back > uint64(window) {
					want = tooOld
				}
				wantCauses(t, "before", arrive(t, p, o, first-back), want)
			}
			wantCauses(t, "from there on", arrive(t, p, o, first, first), fresh, replayed)
			if first < 1<<32-1 {
				wantCauses(t, "beyond", arrive(t, p, o, first+1), fresh)
			}
			if stats := p.receiver.Stats(); stats.Packets > 2 {
				t.Errorf("%d packets are counted", stats.Packets)
			}
		}
	}
}

// TestFirstFindsExtendedNumbers goes on above 2^32, where an SA that begins at 1 opens nothing.
func TestFirstFindsExtendedNumbers(t *testing.T) {
	for _, transform := range Transforms() {
		a := association4(transform)
		a.ESN = true
		for _, first := range []uint64{1 << 32, 5<<32 - 7, 5<<32 + 9, 1<<63 + 1<<31} {
			p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, First: first})
			o := newOracle(t, &a)
			wantCauses(t, "before", arrive(t, p, o, first-1, first-60), replayed, replayed)
			wantCauses(t, transform.String(), arrive(t, p, o, first+3, first, first+1<<31, first), fresh, fresh, fresh, tooOld)
			wantCauses(t, "at 1", arrive(t, newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a}), o, first+3), forged)
		}
	}
}

func TestFirstRefused(t *testing.T) {
	a := association4(AES128GCM16)
	for _, c := range []InboundConfig{{Association: a, First: 2, NoReplay: true}, {Association: a, First: 1 << 32}} {
		_, err := NewInboundSA(newEngine(t), c)
		wantField(t, err, "First")
	}
	for _, c := range []InboundConfig{{Association: a, First: 1, NoReplay: true}, {Association: a, First: 1<<32 - 1}, {Association: a}} {
		sa, err := NewInboundSA(newEngine(t), c)
		must(t, err)
		if highest, ok := sa.Highest(); ok != (c.First > 1) {
			t.Errorf("First %d: highest %d, %v", c.First, highest, ok)
		}
		sa.Close()
	}
}

// TestNumbersAreKeptWhereTheUserSays: of each direction, by the time that its call returns.
func TestNumbersAreKeptWhereTheUserSays(t *testing.T) {
	for _, esn := range []bool{false, true} {
		var used atomic.Uint64
		var highest uint64
		a := association4(AES128GCM16)
		a.ESN = esn
		p := newPair(t, OutboundConfig{Association: a, First: 100, Used: &used}, InboundConfig{Association: a, First: 50, Highest: &highest})
		if highest != 49 || used.Load() != 0 {
			t.Errorf("highest %d and %d used before the first packet", highest, used.Load())
		}
		burst := make([]record.Datagram, 3)
		for i := range burst {
			burst[i] = datagram(udpPacket(host4[0], host4[1], nil), p.sender.Headroom(), p.sender.Tailroom())
		}
		if n := p.out.Protect(burst, []*OutboundSA{p.sender, p.sender, p.sender}); n != 3 || used.Load() != 3 {
			t.Errorf("%d sealed, %d used", n, used.Load())
		}
		burst[2].Content()[40] ^= 1
		if n := p.in.Unprotect(burst, nil); n != 2 || highest != 101 {
			t.Errorf("%d opened, highest %d; want 101", n, highest)
		}
	}
}
