package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestInboundCauses has one thing wrong at a time, and looks at the cause, at its counter
// and at the neighbour in the burst.
func TestInboundCauses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(packet []byte) []byte
		want   record.Drop
	}{
		{"nothing", func(b []byte) []byte { return b }, record.DropNone},
		{"empty", func(b []byte) []byte { return nil }, record.DropTruncated},
		{"half an IP header", func(b []byte) []byte { return b[:19] }, record.DropTruncated},
		{"IP version 5", func(b []byte) []byte { b[0] = 0x55; return b }, record.DropMalformed},
		{"IP header of 16 bytes", func(b []byte) []byte { b[0] = 0x44; return b }, record.DropMalformed},
		{"IP checksum", func(b []byte) []byte { b[8]--; return b }, record.DropMalformed},
		{"total length past the datagram", func(b []byte) []byte { return b[:len(b)-1] }, record.DropTruncated},
		{"total length below the header", func(b []byte) []byte { b[2], b[3] = 0, 19; return b }, record.DropMalformed},
		{"another protocol", fixed(func(b []byte) { b[9] = 47 }), record.DropType},
		{"first fragment", fixed(func(b []byte) { b[6] = 0x20 }), record.DropFragment},
		{"last fragment", fixed(func(b []byte) { b[6], b[7] = 0, 9 }), record.DropFragment},
		{"unknown SPI", func(b []byte) []byte { b[20] ^= 1; return b }, record.DropUnknownSession},
		{"sequence number 0", func(b []byte) []byte { clear(b[24:28]); return b }, record.DropTooOld},
		{"no room for a SPI", shortened(7), record.DropTruncated},
		{"a SPI in a link's padding", func(b []byte) []byte { return append(shortened(3)(b), "padding"...) }, record.DropTruncated},
		{"header alone", shortened(8), record.DropTruncated},
		{"no trailer", shortened(32), record.DropTruncated},
		{"not a multiple of 4", shortened(35), record.DropMalformed},
		{"shorter than it was", shortened(36), record.DropUnauthentic},
	} {
		p := pairOf(t, association4(AES128GCM16))
		sealed := p.seal(t, udpPacket(host4[0], host4[1], pattern(40)), udpPacket(host4[0], host4[1], pattern(8)))
		bad := c.change(bytes.Clone(sealed[0].Content()))
		burst := []record.Datagram{datagram(bad, 3, 3), datagram(sealed[1].Content(), 3, 3)}
		p.in.Unprotect(burst, nil)
		if burst[0].Drop != c.want || burst[1].Drop != record.DropNone {
			t.Errorf("%s: %v, want %v", c.name, causes(burst), c.want)
		}
		wantCounted(t, c.name, p.in.Stats(), c.want)
	}
}

// fixed changes an IPv4 packet and makes its checksum anew.
func fixed(change func([]byte)) func([]byte) []byte {
	return func(b []byte) []byte {
		change(b)
		fixChecksum(b)
		return b
	}
}

// shortened leaves n bytes behind the IP header, which says so.
func shortened(n int) func([]byte) []byte {
	return func(b []byte) []byte {
		b = b[:20+n]
		binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
		fixChecksum(b)
		return b
	}
}

// wantCounted wants that cause alone counted, once.
func wantCounted(t *testing.T, name string, f Flow, want record.Drop) {
	t.Helper()
	dropped := f.Drops.Dropped()
	if want == record.DropNone {
		if dropped != 0 {
			t.Errorf("%s: counted %v", name, f.Drops.ByName())
		}
		return
	}
	if dropped != 1 || f.Drops[want] != 1 {
		t.Errorf("%s: counted %v, want %v once", name, f.Drops.ByName(), want)
	}
}

// TestInnerCauses has a peer with the key send what a tunnel may not carry.
func TestInnerCauses(t *testing.T) {
	v4, v6 := udpPacket(host4[0], host4[1], pattern(20)), udpPacket(host6[0], host6[1], pattern(20))
	for _, c := range []struct {
		name    string
		payload []byte
		next    byte
		want    record.Drop
	}{
		{"IPv4", v4, 4, record.DropNone},
		{"IPv6", v6, 41, record.DropNone},
		{"TFC padding", append(bytes.Clone(v4), pattern(99)...), 4, record.DropNone},
		{"UDP in a tunnel", v4[20:], 17, record.DropType},
		{"next header 0", v4, 0, record.DropType},
		{"IPv6 as IPv4", v6, 4, record.DropMalformed},
		{"IPv4 as IPv6", v4, 41, record.DropMalformed},
		{"IP version 0", make([]byte, 40), 4, record.DropMalformed},
		{"inner packet cut short", v4[:len(v4)-1], 4, record.DropTruncated},
		{"nothing as IPv4", nil, 4, record.DropTruncated},
		{"dummy", pattern(77), 59, record.DropDummy},
		{"empty dummy", nil, 59, record.DropDummy},
	} {
		for _, carrier := range []Carrier{InIP, InUDP} {
			a := association4(AES256GCM16)
			a.Carrier = carrier
			p := pairOf(t, a)
			esp := newOracle(t, &a).esp(1, 1, c.payload, c.next, 0)
			d := p.open(outerPacket(gateway4[0], gateway4[1], carrier == InUDP, esp))
			if d.Drop != c.want {
				t.Errorf("%s, carrier %d: %v, want %v", c.name, carrier, d.Drop, c.want)
			}
			wantCounted(t, c.name, p.in.Stats(), c.want)
			if stats := p.receiver.Stats(); stats.Packets != 1 {
				t.Errorf("%s: the SA counts %d authentic packets", c.name, stats.Packets)
			}
		}
	}
}

func TestInboundUDPCauses(t *testing.T) {
	a := association4(AES128GCM16)
	a.Carrier = InUDP
	for _, c := range []struct {
		name   string
		change func(b []byte) // of the UDP datagram behind 20 bytes of IP
		want   record.Drop
	}{
		{"another port", func(b []byte) { b[22] = 1 }, record.DropType},
		{"length below the header", func(b []byte) { b[24], b[25] = 0, 7 }, record.DropMalformed},
		{"length past the packet", func(b []byte) { b[25]++ }, record.DropTruncated},
		{"length of the header", func(b []byte) { b[24], b[25] = 0, 8 }, record.DropTruncated},
		{"ESP in IP", func(b []byte) { b[9] = 50; copy(b[20:], b[28:]) }, record.DropType},
	} {
		p := pairOf(t, a)
		packet := p.seal(t, udpPacket(host4[0], host4[1], pattern(40)))[0].Content()
		c.change(packet)
		fixChecksum(packet)
		if d := p.open(packet); d.Drop != c.want {
			t.Errorf("%s: %v, want %v", c.name, d.Drop, c.want)
		}
		wantCounted(t, c.name, p.in.Stats(), c.want)
	}
}

// TestOutboundCauses also wants what is refused to be left as it was.
func TestOutboundCauses(t *testing.T) {
	big := func(n int) []byte { return ipPacket(host4[0], host4[1], 200, make([]byte, n-20)) }
	fragment := bytes.Clone(big(60))
	fragment[6] = 0x20
	for _, c := range []struct {
		name        string
		mode        Mode
		packet      []byte
		front, back int
		want        record.Drop
	}{
		{"good", Tunnel, big(60), 36, 30, record.DropNone},
		{"exact room", Tunnel, big(60), 36, 20, record.DropNone},
		{"no headroom", Tunnel, big(60), 35, 30, record.DropHeadroom},
		{"no tailroom", Tunnel, big(60), 36, 19, record.DropTailroom},
		{"longest", Tunnel, big(65478), 36, 30, record.DropNone},
		{"too long", Tunnel, big(65479), 36, 30, record.DropTooLong},
		{"empty", Tunnel, nil, 36, 30, record.DropTruncated},
		{"truncated", Tunnel, big(60)[:59], 36, 30, record.DropTruncated},
		{"IP version 0", Tunnel, make([]byte, 40), 36, 30, record.DropMalformed},
		{"fragment in a tunnel", Tunnel, fragment, 36, 30, record.DropNone},
		{"fragment in transport mode", Transport, fragment, 36, 30, record.DropFragment},
		{"transport mode without headroom", Transport, big(60), 15, 30, record.DropHeadroom},
		{"transport mode with headroom", Transport, big(60), 16, 30, record.DropNone},
	} {
		a := association4(AES128GCM16)
		a.Mode = c.mode
		p := pairOf(t, a)
		burst := []record.Datagram{datagram(c.packet, c.front, c.back), datagram(big(60), 36, 30)}
		before := bytes.Clone(burst[0].Buf)
		p.out.Protect(burst, []*OutboundSA{p.sender, p.sender})
		if burst[0].Drop != c.want || burst[1].Drop != record.DropNone {
			t.Errorf("%s: %v, want %v", c.name, causes(burst), c.want)
		}
		if c.want != record.DropNone && (!bytes.Equal(burst[0].Buf, before) || burst[0].Off != c.front) {
			t.Errorf("%s: refused, but changed", c.name)
		}
		wantCounted(t, c.name, p.out.Stats(), c.want)
	}
}

func TestDatagramsThatAreNone(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	wrong := record.Datagram{Buf: make([]byte, 10), Off: 8, Len: 3}
	dropped := record.Datagram{Drop: record.DropQueueFull}
	burst := []record.Datagram{wrong, dropped}
	p.out.Protect(burst, []*OutboundSA{p.sender, p.sender})
	if burst[0].Drop != record.DropFailed || burst[1].Drop != record.DropQueueFull {
		t.Errorf("sent: %v", causes(burst))
	}
	burst = []record.Datagram{wrong, dropped}
	p.in.Unprotect(burst, nil)
	if burst[0].Drop != record.DropFailed || burst[1].Drop != record.DropQueueFull {
		t.Errorf("received: %v", causes(burst))
	}
	wantCounted(t, "sent", p.out.Stats(), record.DropFailed)
	wantCounted(t, "received", p.in.Stats(), record.DropFailed)
}

// TestNoSAOfTheBurstBefore reports no SA for a datagram that has none, in a place of the
// scratch where another burst had one.
func TestNoSAOfTheBurstBefore(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	by := make([]*InboundSA, 1)
	p.in.Unprotect(p.seal(t, udpPacket(host4[0], host4[1], nil)), by)
	if by[0] != p.receiver {
		t.Error("not the SA of a good packet")
	}
	for _, d := range []record.Datagram{{Buf: nil, Len: 1}, {Drop: record.DropFailed}, {}} {
		by[0] = p.receiver
		if p.in.Unprotect([]record.Datagram{d}, by); by[0] != nil {
			t.Errorf("%+v has an SA", d)
		}
	}
}

func TestWithoutSA(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	packet := udpPacket(host4[0], host4[1], nil)
	burst, _ := p.burst(packet, packet, packet)
	if n := p.out.Protect(burst, []*OutboundSA{nil, p.sender}); n != 1 {
		t.Errorf("%d sealed", n)
	}
	if burst[0].Drop != record.DropUnknownSession || burst[1].Drop != record.DropNone || burst[2].Drop != record.DropUnknownSession {
		t.Errorf("causes %v", causes(burst))
	}
}

// TestClosedSA closes an SA on either side.
func TestClosedSA(t *testing.T) {
	for _, mode := range []Mode{Tunnel, Transport} {
		a := association4(AES128GCM16)
		a.Mode = mode
		p := pairOf(t, a)
		packet := udpPacket(host4[0], host4[1], pattern(30))
		sealed := p.seal(t, packet)[0].Content()
		p.sender.Close()
		p.receiver.Close()
		burst, by := p.burst(packet)
		if p.out.Protect(burst, by); burst[0].Drop != record.DropClosed || !bytes.Equal(burst[0].Content(), packet) {
			t.Errorf("mode %d: sent: %v, %x", mode, burst[0].Drop, burst[0].Content())
		}
		if d := p.open(sealed); d.Drop != record.DropClosed || !bytes.Equal(d.Content(), sealed) {
			t.Errorf("mode %d: received: %v", mode, d.Drop)
		}
	}
}
