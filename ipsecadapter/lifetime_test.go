package ipsecadapter

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sealburst/sealburst/record"
)

// listen returns a configuration's callback and what it will be told.
func listen() (func(Expiry), chan Expiry) {
	told := make(chan Expiry, 10)
	return func(e Expiry) { told <- e }, told
}

func wantTold(t *testing.T, name string, told chan Expiry, want ...Expiry) {
	t.Helper()
	seen := map[Expiry]bool{}
	for range want {
		select {
		case e := <-told:
			seen[e] = true
		case <-time.After(time.Minute):
			t.Fatalf("%s: told %v only, want %v", name, seen, want)
		}
	}
	for _, e := range want {
		if !seen[e] {
			t.Errorf("%s: told %v, want %v", name, seen, want)
		}
	}
	select {
	case e := <-told:
		t.Errorf("%s: told %v too", name, e)
	case <-time.After(10 * time.Millisecond):
	}
}

// TestLifetimeInPacketsAndBytes sends a burst that goes past the end, and looks at both sides: bodies
// have 32 bytes each.
func TestLifetimeInPacketsAndBytes(t *testing.T) {
	const spi = 0x1234abcd
	for _, c := range []struct {
		name     string
		lifetime Lifetime
		want     int
		told     []Expiry
	}{
		{"no bound", Lifetime{}, 70, nil},
		{"packets", Lifetime{SoftPackets: 5, HardPackets: 10}, 10, []Expiry{{spi, false, Packets}, {spi, true, Packets}}},
		{"packets, in the second piece", Lifetime{HardPackets: 66}, 66, []Expiry{{spi, true, Packets}}},
		{"soft alone", Lifetime{SoftPackets: 70}, 70, []Expiry{{spi, false, Packets}}},
		{"not yet", Lifetime{SoftPackets: 71, HardPackets: 71}, 70, nil},
		{"exactly", Lifetime{HardPackets: 70}, 70, []Expiry{{spi, true, Packets}}},
		{"bytes", Lifetime{SoftBytes: 33, HardBytes: 100}, 3, []Expiry{{spi, false, Bytes}, {spi, true, Bytes}}},
		{"bytes, exactly", Lifetime{HardBytes: 96}, 3, []Expiry{{spi, true, Bytes}}},
		{"too few bytes for one", Lifetime{HardBytes: 31}, 0, []Expiry{{spi, true, Bytes}}},
		{"packets before bytes", Lifetime{HardBytes: 96, HardPackets: 2}, 2, []Expiry{{spi, true, Packets}}},
	} {
		var packets [][]byte
		for range 70 {
			packets = append(packets, udpPacket(host4[0], host4[1], []byte("..")))
		}
		a, free := association4(AES128GCM16), association4(AES128GCM16)
		a.Lifetime = c.lifetime
		outTold, inTold := make(chan Expiry, 10), make(chan Expiry, 10)
		limited := newPair(t, OutboundConfig{Association: told(a, outTold)}, InboundConfig{Association: told(a, inTold)})
		burst, by := limited.burst(packets...)
		limited.out.Protect(burst, by)
		wantPrefix(t, c.name+", sent", burst, c.want)
		wantTold(t, c.name+", sent", outTold, c.told...)

		sealed := pairOf(t, free).seal(t, packets...)
		limited.in.Unprotect(sealed, nil)
		wantPrefix(t, c.name+", received", sealed, c.want)
		wantTold(t, c.name+", received", inTold, c.told...)
		if hard := c.lifetime.HardBytes+c.lifetime.HardPackets != 0 && c.name != "not yet"; limited.sender.Expired() != hard {
			t.Errorf("%s: expired %v", c.name, !hard)
		}
	}
}

func told(a Association, to chan Expiry) Association {
	a.OnLifetime = func(e Expiry) { to <- e }
	return a
}

// wantPrefix wants the first n good and the others expired.
func wantPrefix(t *testing.T, name string, burst []record.Datagram, n int) {
	t.Helper()
	for i := range burst {
		want := record.DropNone
		if i >= n {
			want = record.DropExpired
		}
		if burst[i].Drop != want {
			t.Errorf("%s: packet %d: %v, want %v", name, i, burst[i].Drop, want)
			return
		}
	}
}

func TestLifetimeInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := association4(AES128GCM16)
		var events chan Expiry
		a.OnLifetime, events = listen()
		a.Lifetime = Lifetime{SoftTime: 2 * time.Millisecond, HardTime: 4 * time.Millisecond}
		free := association4(AES128GCM16)
		p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: free})
		wantTold(t, "sender", events, Expiry{a.SPI, false, Time}, Expiry{a.SPI, true, Time})
		burst, by := p.burst(udpPacket(host4[0], host4[1], nil))
		if p.out.Protect(burst, by); burst[0].Drop != record.DropExpired || p.sender.Used() != 0 {
			t.Errorf("sent: %v", burst[0].Drop)
		}

		p = newPair(t, OutboundConfig{Association: free}, InboundConfig{Association: a})
		wantTold(t, "receiver", events, Expiry{a.SPI, false, Time}, Expiry{a.SPI, true, Time})
		if d := p.open(p.seal(t, udpPacket(host4[0], host4[1], nil))[0].Content()); d.Drop != record.DropExpired {
			t.Errorf("received: %v", d.Drop)
		}
	})
}

// TestClosedSAIsNotTold stops the clock with the SA.
func TestClosedSAIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := association4(AES128GCM16)
		var events chan Expiry
		a.OnLifetime, events = listen()
		a.Lifetime = Lifetime{SoftTime: 30 * time.Millisecond, HardTime: 30 * time.Millisecond}
		p := pairOf(t, a)
		p.sender.Close()
		p.receiver.Close()
		select {
		case e := <-events:
			t.Errorf("told %v", e)
		case <-time.After(60 * time.Millisecond):
		}
	})
}

// TestNumbersEnd exhausts the sequence numbers, which must not cycle (RFC 4303 section 3.3.3).
func TestNumbersEnd(t *testing.T) {
	for _, esn := range []bool{false, true} {
		a := association4(AES128GCM16)
		a.ESN = esn
		last := uint64(1<<32 - 1)
		if esn {
			last = 1<<64 - 1
		}
		p := newPair(t, OutboundConfig{Association: a, First: last - 1}, InboundConfig{Association: a})
		packet := udpPacket(host4[0], host4[1], nil)
		burst, by := p.burst(packet, packet, packet)
		p.out.Protect(burst, by)
		if got := causes(burst); got[0] != record.DropNone || got[1] != record.DropNone || got[2] != record.DropLimit {
			t.Errorf("ESN %v: %v", esn, got)
		}
		if !p.sender.RekeySoon() {
			t.Errorf("ESN %v: no new SA is due", esn)
		}
	}
}

// TestPacketsAreCounted under any lifetime, with those that it refused: not those that were
// refused for another cause, though numbers went with them.
func TestPacketsAreCounted(t *testing.T) {
	small, large := udpPacket(host4[0], host4[1], pattern(40)), udpPacket(host4[0], host4[1], pattern(400))
	for name, c := range map[string]struct {
		lifetime Lifetime
		sealed   int
		packets  uint64
	}{
		"none":                  {Lifetime{}, 3, 3},
		"in packets":            {Lifetime{HardPackets: 1 << 20}, 3, 3},
		"in bytes, far":         {Lifetime{HardBytes: 1 << 40}, 3, 3},
		"in bytes, and its end": {Lifetime{HardBytes: 150}, 2, 3},
		"in packets, its end":   {Lifetime{HardPackets: 2}, 2, 3},
		"soft packets":          {Lifetime{SoftPackets: 2}, 3, 3},
	} {
		a := association4(AES128GCM16)
		a.Lifetime = c.lifetime
		p := newPair(t, OutboundConfig{Association: a, PathMTU: 300}, InboundConfig{Association: association4(AES128GCM16)})
		burst, by := p.burst(small, large, small, large, small)
		n := p.out.Protect(burst, by)
		stats := p.sender.Stats()
		if n != c.sealed || stats.Packets != c.packets || stats.Bytes != c.packets*72 || p.sender.Used() != 5 {
			t.Errorf("%s: sealed %d, counted %+v, %d numbers used", name, n, stats, p.sender.Used())
		}
	}
}
