package ipsecadapter

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// TestQuickAndSlow wants both ways of framing to write the same: each packet goes once in a
// burst that the quick way takes, and once as the neighbour of its own SA's dummy padding,
// which it does not.
func TestQuickAndSlow(t *testing.T) {
	for _, w := range ways() {
		if w.mode != Tunnel {
			continue
		}
		for _, transform := range []Transform{AES128GCM16, AES256GMAC, AES128CCM8, AES128GCM16IIV, AES256CCM8IIV, nullSHA1} {
			a := w.association(transform)
			quick, slow := pairOf(t, a), newPair(t, OutboundConfig{Association: a, PadTo: 1}, InboundConfig{Association: a})
			if quick.sender.unusual || !slow.sender.unusual {
				t.Fatal("not the ways that are meant")
			}
			var packets [][]byte
			for size := range 40 {
				packet := withTOS(udpPacket(w.inner[0], w.inner[1], pattern(size)), byte(size*7))
				if packet[0]>>4 == 4 && size%3 == 0 {
					packet[6] = flagDF >> 8
					setChecksum(packet[:ipv4Size])
				}
				packets = append(packets, packet)
			}
			for range 2 { // frameMany serves from the second burst on
				got, want := quick.seal(t, packets...), slow.seal(t, packets...)
				for i := range got {
					if !bytes.Equal(got[i].Content(), want[i].Content()) {
						t.Fatalf("%s, %v, %d bytes:\n%x, want\n%x", w.name, transform, i, got[i].Content(), want[i].Content())
					}
				}
			}
			if quick.out.Stats().Bytes != slow.out.Stats().Bytes || quick.sender.Stats() != slow.sender.Stats() {
				t.Errorf("%s: counted %+v and %+v", w.name, quick.sender.Stats(), slow.sender.Stats())
			}
		}
	}
}

// TestQuickWayIsTaken counts that most packets go it, and that what is unusual among them does
// not stop it.
func TestQuickWayIsTaken(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	good := udpPacket(host4[0], host4[1], pattern(40))
	burst, by := p.burst(good, good, withOptions(good, []byte{1, 1, 1, 0}), good, udpPacket(host6[0], host6[1], nil))
	s := new(sealing)
	s.gather(burst, by)
	s.reserve(false)
	if n := s.frame(burst, false); n != len(burst) {
		t.Fatalf("%d framed: %v", n, causes(burst))
	}
	var got []string
	for _, r := range s.runs[:s.inRuns] {
		got = append(got, fmt.Sprint(!r.slow, r.position, r.place, r.n))
	}
	if want := "[true 0 0 2 false 2 2 1 true 3 3 2]"; fmt.Sprint(got) != want {
		t.Errorf("runs %v, want %v", got, want)
	}
}

// TestMostPacketsGoTheQuickestWay counts which SAs' do, and that what is unusual ends it.
func TestMostPacketsGoTheQuickestWay(t *testing.T) {
	for _, c := range []struct {
		change func(*OutboundConfig)
		simple bool
	}{
		{func(*OutboundConfig) {}, true},
		{func(c *OutboundConfig) { c.PadTo = 100 }, false},
		{func(c *OutboundConfig) { c.ESN = true }, false},
		{func(c *OutboundConfig) { c.Carrier = InUDP }, false},
		{func(c *OutboundConfig) { c.Mode = Transport }, false},
		{func(c *OutboundConfig) { c.Transform, c.Key = AES128GMAC, keyOf(AES128GMAC) }, false},
		{func(c *OutboundConfig) { c.Transform, c.Key = aesSHA256, keyOf(aesSHA256) }, false},
		{func(c *OutboundConfig) { c.Source, c.Destination = host6[0], host6[1] }, false},
	} {
		config := OutboundConfig{Association: association4(AES128GCM16)}
		c.change(&config)
		sa, err := NewOutboundSA(newEngine(t), config)
		must(t, err)
		if sa.simple != c.simple {
			t.Errorf("%+v: simple is %v", config, sa.simple)
		}
	}
	sa := pairOf(t, association4(AES128GCM16)).sender
	good := udpPacket(host4[0], host4[1], pattern(40))
	burst := []record.Datagram{datagram(good, 64, 64), datagram(good, 64, 64), datagram(good, 64, 64)}
	packets := []engine.Packet{{Key: sa.key}, {Key: sa.key}, {}}
	if n, _, _ := sa.frameMany(burst, packets, len(good)-1, 7); n != 0 {
		t.Errorf("%d framed that are too long", n)
	}
	short := datagram([]byte{0x45, 0, 0, 19, 18: 0}, 64, 64)
	if n, _, _ := sa.frameMany([]record.Datagram{short}, packets, 1000, 7); n != 0 {
		t.Errorf("%d framed that are no packets", n)
	}
	if n, used, inside := sa.frameMany(burst, packets, 1000, 7); n != 2 || used != 2*72 || inside != 2*68 {
		t.Errorf("%d framed of %d and %d bytes", n, used, inside)
	}
}

// TestProtectUnder is Protect of the one SA.
func TestProtectUnder(t *testing.T) {
	a := association4(AES128GCM16)
	one, each := pairOf(t, a), pairOf(t, a)
	var packets [][]byte
	for i := range 2*burstSize + 5 {
		packets = append(packets, udpPacket(host4[0], host4[1], pattern(20+i%30)))
	}
	for range 2 {
		got, _ := one.burst(packets...)
		want, by := each.burst(packets...)
		got[70].Drop, want[70].Drop = record.DropExpired, record.DropExpired
		if n, m := one.out.ProtectUnder(got, one.sender), each.out.Protect(want, by); n != len(packets)-1 || n != m {
			t.Fatalf("sealed %d and %d", n, m)
		}
		for i := range got {
			if !bytes.Equal(got[i].Content(), want[i].Content()) || got[i].Drop != want[i].Drop {
				t.Fatalf("%d: %v, %x, want %v, %x", i, got[i].Drop, got[i].Content(), want[i].Drop, want[i].Content())
			}
		}
	}
	if one.out.Stats() != each.out.Stats() || one.sender.Used() != each.sender.Used() {
		t.Errorf("counted %+v and %+v", one.out.Stats(), each.out.Stats())
	}
	got, _ := one.burst(packets[:2]...)
	if one.out.ProtectUnder(got, nil) != 0 || one.out.ProtectUnder(nil, one.sender) != 0 {
		t.Error("sealed without an SA")
	}
	wantCauses(t, "no SA", causes(got), record.DropUnknownSession, record.DropUnknownSession)
}

// TestQuickMalformed hands the quick way what it must leave to the other, which says why.
func TestQuickMalformed(t *testing.T) {
	good := udpPacket(host4[0], host4[1], pattern(40))
	v6 := udpPacket(host6[0], host6[1], pattern(40))
	for name, c := range map[string]struct {
		change func(b []byte) record.Datagram
		want   record.Drop
	}{
		"longer than it says":  {func(b []byte) record.Datagram { return datagram(append(b, 0, 0, 0), 64, 64) }, record.DropNone},
		"shorter than it says": {func(b []byte) record.Datagram { return datagram(b[:len(b)-1], 64, 64) }, record.DropTruncated},
		"IP version 5":         {func(b []byte) record.Datagram { b[0] = 0x55; return datagram(b, 64, 64) }, record.DropMalformed},
		"header of 16 bytes":   {func(b []byte) record.Datagram { b[0] = 0x44; return datagram(b, 64, 64) }, record.DropMalformed},
		"length of 19":         {func(b []byte) record.Datagram { b[2], b[3] = 0, 19; return datagram(b, 64, 64) }, record.DropMalformed},
		"no headroom":          {func(b []byte) record.Datagram { return datagram(b, 35, 64) }, record.DropHeadroom},
		"no tailroom":          {func(b []byte) record.Datagram { return datagram(b, 64, 17) }, record.DropTailroom},
		"no buffer":            {func([]byte) record.Datagram { return record.Datagram{Off: 64, Len: 64} }, record.DropFailed},
		"far outside":          {func(b []byte) record.Datagram { return record.Datagram{Buf: b, Off: math.MaxInt, Len: 64} }, record.DropFailed},
		"endless":              {func(b []byte) record.Datagram { return record.Datagram{Buf: b, Off: 64, Len: math.MaxInt} }, record.DropFailed},
		"negative":             {func(b []byte) record.Datagram { return record.Datagram{Buf: b, Off: 64, Len: -1} }, record.DropFailed},
		"nothing in front":     {func(b []byte) record.Datagram { return record.Datagram{Buf: b, Off: -1, Len: 64} }, record.DropFailed},
	} {
		for _, packet := range [][]byte{good, v6} {
			p := pairOf(t, association4(AES128GCM16))
			p.seal(t, good, good, good) // so that frameMany serves
			burst := []record.Datagram{datagram(good, 64, 64), c.change(bytes.Clone(packet)), datagram(good, 64, 64)}
			want := c.want
			if name == "length of 19" && packet[0]>>4 == 6 {
				continue
			}
			if name == "header of 16 bytes" && packet[0]>>4 == 6 {
				want = record.DropMalformed
			}
			p.out.Protect(burst, []*OutboundSA{p.sender, p.sender, p.sender})
			wantCauses(t, name, causes(burst), record.DropNone, want, record.DropNone)
			if d := p.open(burst[2].Content()); d.Drop != record.DropNone || !bytes.Equal(d.Content(), good) {
				t.Errorf("%s: the neighbour: %v", name, d.Drop)
			}
		}
	}
}

// TestQuickWayBack closes one of two SAs, so that the engine seals one packet and not its
// neighbours, which become what they were.
func TestQuickWayBack(t *testing.T) {
	a := association4(AES128GCM16)
	open := pairOf(t, a)
	a.SPI++
	closed := pairOf(t, a)
	closed.sender.Close()
	packet := udpPacket(host4[0], host4[1], pattern(40))
	burst := []record.Datagram{datagram(packet, 64, 64), datagram(packet, 64, 64), datagram(packet, 64, 64)}
	before := burst[0]
	open.out.Protect(burst, []*OutboundSA{closed.sender, open.sender, closed.sender})
	wantCauses(t, "sealed", causes(burst), record.DropClosed, record.DropNone, record.DropClosed)
	for _, i := range []int{0, 2} {
		if burst[i].Off != before.Off || !bytes.Equal(burst[i].Content(), packet) {
			t.Errorf("%d: %x at %d", i, burst[i].Content(), burst[i].Off)
		}
	}
	if stats := open.out.Stats(); stats.Packets != 1 || stats.Bytes != uint64(len(packet)) || stats.Drops[record.DropClosed] != 2 {
		t.Errorf("counted %+v", stats)
	}
}

// TestQuickWayEndsWithTheNumbers has fewer numbers left than packets in a burst.
func TestQuickWayEndsWithTheNumbers(t *testing.T) {
	a := association4(AES128GCM16)
	p := newPair(t, OutboundConfig{Association: a, First: 1<<32 - 3}, InboundConfig{Association: a})
	packet := udpPacket(host4[0], host4[1], pattern(40))
	burst, by := p.burst(packet, packet, packet, packet, packet)
	p.out.Protect(burst, by)
	wantCauses(t, "sealed", causes(burst), record.DropNone, record.DropNone, record.DropNone, record.DropLimit, record.DropLimit)
	for i := range 3 {
		if d := p.open(burst[i].Content()); d.Drop != record.DropNone {
			t.Errorf("%d: %v", i, d.Drop)
		}
	}
	if p.sender.Used() != 3 || p.sender.Stats().Packets != 3 {
		t.Errorf("%d numbers used, %+v", p.sender.Used(), p.sender.Stats())
	}
}
