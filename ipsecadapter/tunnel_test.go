package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// withTOS sets the DSCP and ECN of a packet.
func withTOS(packet []byte, tos byte) []byte {
	packet = bytes.Clone(packet)
	if packet[0]>>4 == 6 {
		packet[0], packet[1] = 0x60|tos>>4, tos<<4|packet[1]&15
		return packet
	}
	packet[1] = tos
	fixChecksum(packet)
	return packet
}

func tosOf(packet []byte) byte {
	if packet[0]>>4 == 6 {
		return byte(binary.BigEndian.Uint16(packet) >> 4)
	}
	return packet[1]
}

// mixed are the tunnels of every pair of families.
func mixed() (all []way) {
	for _, w := range ways() {
		if w.mode == Tunnel && w.carrier == InIP && !w.esn {
			all = append(all, w)
		}
	}
	return all
}

// TestOuterTOS: RFC 4301 section 5.1.2 and RFC 6040 section 4.1.
func TestOuterTOS(t *testing.T) {
	for _, w := range mixed() {
		for _, c := range []struct {
			name        string
			change      func(*OutboundConfig)
			inner, want byte
		}{
			{"copied", func(*OutboundConfig) {}, 46<<2 | 2, 46<<2 | 2},
			{"copied, congestion met before", func(*OutboundConfig) {}, 3, 3},
			{"fixed", func(c *OutboundConfig) { c.FixedDSCP, c.DSCP = true, 10 }, 46<<2 | 1, 10<<2 | 1},
			{"fixed at 0", func(c *OutboundConfig) { c.FixedDSCP = true }, 46<<2 | 1, 1},
			{"without ECN", func(c *OutboundConfig) { c.WithoutECN = true }, 46<<2 | 3, 46 << 2},
		} {
			o := OutboundConfig{Association: w.association(AES128GCM16)}
			c.change(&o)
			p := newPair(t, o, InboundConfig{Association: o.Association})
			packet := withTOS(udpPacket(w.inner[0], w.inner[1], nil), c.inner)
			sealed := p.seal(t, packet)[0].Content()
			checkOuter(t, sealed, w.outer)
			if got := tosOf(sealed); got != c.want {
				t.Errorf("%s, %s: outer %#x, want %#x", w.name, c.name, got, c.want)
			}
			if d := p.open(sealed); d.Drop != record.DropNone || tosOf(d.Content()) != c.inner {
				t.Errorf("%s, %s: %v, inner %#x, want %#x", w.name, c.name, d.Drop, tosOf(d.Content()), c.inner)
			}
		}
	}
}

// TestECNLeavingATunnel is the table of RFC 6040 section 4.2: rows are the inner code
// points, columns the outer ones.
func TestECNLeavingATunnel(t *testing.T) {
	const lost = 9
	want := [4][4]byte{ // not-ECT, ECT(1), ECT(0), CE
		notECT: {notECT, notECT, notECT, lost},
		ect1:   {ect1, ect1, ect1, ce},
		ect0:   {ect0, ect1, ect0, ce},
		ce:     {ce, ce, ce, ce},
	}
	for _, w := range mixed() {
		for inner := range byte(4) {
			for outer := range byte(4) {
				p := pairOf(t, w.association(ChaCha20Poly1305))
				packet := withTOS(udpPacket(w.inner[0], w.inner[1], pattern(3)), 40<<2|inner)
				sealed := withTOS(p.seal(t, packet)[0].Content(), 20<<2|outer)
				d := p.open(sealed)
				if want[inner][outer] == lost {
					if d.Drop != record.DropCongestion {
						t.Errorf("%s, %d in %d: %v", w.name, inner, outer, d.Drop)
					}
					continue
				}
				if wanted := withTOS(packet, 40<<2|want[inner][outer]); d.Drop != record.DropNone || !bytes.Equal(d.Content(), wanted) {
					t.Errorf("%s, %d in %d: %v\n%x, want\n%x", w.name, inner, outer, d.Drop, d.Content(), wanted)
				}
			}
		}
	}
}

func TestOuterDF(t *testing.T) {
	for _, c := range []struct {
		rule  DFRule
		inner string // of IPv4 with and without the bit, of IPv6
		want  bool
	}{
		{CopyDF, "set", true}, {CopyDF, "clear", false}, {CopyDF, "IPv6", true},
		{SetDF, "set", true}, {SetDF, "clear", true}, {SetDF, "IPv6", true},
		{ClearDF, "set", false}, {ClearDF, "clear", false}, {ClearDF, "IPv6", false},
	} {
		o := OutboundConfig{Association: association4(AES128GCM16), DF: c.rule, First: 0x1234}
		p := newPair(t, o, InboundConfig{Association: o.Association})
		packet := udpPacket(host4[0], host4[1], nil)
		if c.inner == "IPv6" {
			packet = udpPacket(host6[0], host6[1], nil)
		} else if c.inner == "set" {
			packet[6] = 0x40
			fixChecksum(packet)
		}
		sealed := p.seal(t, packet)[0].Content()
		checkOuter(t, sealed, gateway4)
		wantFlags, wantID := uint16(0), uint16(0x1234)
		if c.want {
			wantFlags, wantID = 0x4000, 0
		}
		if id, flags := binary.BigEndian.Uint16(sealed[4:]), binary.BigEndian.Uint16(sealed[6:]); flags != wantFlags || id != wantID {
			t.Errorf("rule %d, %s: identification %#x, flags %#x", c.rule, c.inner, id, flags)
		}
	}
}

func TestOuterHopLimit(t *testing.T) {
	for _, w := range mixed() {
		for limit, want := range map[uint8]byte{0: 64, 1: 1, 255: 255} {
			o := OutboundConfig{Association: w.association(AES128GCM16), HopLimit: limit}
			p := newPair(t, o, InboundConfig{Association: o.Association})
			packet := udpPacket(w.inner[0], w.inner[1], nil)
			sealed := p.seal(t, packet)[0].Content()
			at := 8
			if sealed[0]>>4 == 6 {
				at = 7
			}
			if sealed[at] != want {
				t.Errorf("%s: hop limit %d, want %d", w.name, sealed[at], want)
			}
			if d := p.open(sealed); !bytes.Equal(d.Content(), packet) { // the inner one is the router's affair
				t.Errorf("%s: inner packet changed", w.name)
			}
		}
	}
}

// TestTFCPadding pads to a length, with zeros, and no further than the path takes.
func TestTFCPadding(t *testing.T) {
	for _, c := range []struct{ padTo, mtu, size, want int }{
		{0, 0, 28, 28}, {100, 0, 28, 100}, {101, 0, 28, 101}, {100, 0, 200, 200}, {1400, 600, 28, 546}, {1400, 1500, 28, 1400},
	} {
		o := OutboundConfig{Association: association4(AES128GCM16), PadTo: c.padTo, PathMTU: c.mtu}
		p := newPair(t, o, InboundConfig{Association: o.Association})
		packet := udpPacket(host4[0], host4[1], make([]byte, c.size-28))
		sealed := p.seal(t, packet)[0].Content()
		body, err := newOracle(t, &o.Association).open(sealed[20:], 1)
		must(t, err)
		padding := int(body[len(body)-2])
		if got := len(body) - 2 - padding; got != c.want {
			t.Errorf("%+v: payload of %d bytes", c, got)
		}
		if tfc := body[c.size:c.want]; !bytes.Equal(tfc, make([]byte, len(tfc))) {
			t.Errorf("%+v: TFC padding %x", c, tfc)
		}
		if d := p.open(sealed); d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
			t.Errorf("%+v: %v", c, d.Drop)
		}
	}
}

// TestDummies sends packets that the receiver throws away, in both modes.
func TestDummies(t *testing.T) {
	for _, w := range ways() {
		if w.carrier != InSocket {
			w.outer = gateway4
		}
		a := w.association(AES128GCM16)
		p := pairOf(t, a)
		burst := []record.Datagram{datagram(pattern(33), 60, 60)}
		if n := p.out.ProtectDummies(burst, []*OutboundSA{p.sender}); n != 1 {
			t.Fatalf("%s: %v", w.name, causes(burst))
		}
		body, err := newOracle(t, &a).open(w.cut(t, burst[0].Content()), 1)
		must(t, err)
		if next := body[len(body)-1]; next != 59 || !bytes.HasPrefix(body, pattern(33)) {
			t.Errorf("%s: next header %d, body %x", w.name, next, body)
		}
		if d := p.open(burst[0].Content()); d.Drop != record.DropDummy {
			t.Errorf("%s: %v", w.name, d.Drop)
		}
	}
}

func TestDummyWithoutAddresses(t *testing.T) {
	a := association4(AES128GCM16)
	a.Mode = Transport
	a.Source, a.Destination = netip.Addr{}, netip.Addr{}
	p := pairOf(t, a)
	burst := []record.Datagram{datagram(pattern(33), 60, 60)}
	if p.out.ProtectDummies(burst, []*OutboundSA{p.sender}); burst[0].Drop != record.DropMalformed {
		t.Errorf("%v", burst[0].Drop)
	}
}

func TestKeepalive(t *testing.T) {
	for _, w := range ways() {
		if w.carrier == InIP {
			continue
		}
		if w.carrier == InUDP && w.mode == Transport {
			w.outer = w.inner
		}
		p := pairOf(t, w.association(AES128GCM16))
		packet, err := p.sender.AppendKeepalive([]byte("before"))
		must(t, err)
		packet = packet[len("before"):]
		if got := w.cut(t, packet); !bytes.Equal(got, []byte{0xff}) {
			t.Errorf("%s: payload %x", w.name, got)
		}
		if d := p.open(packet); d.Drop != record.DropKeepalive {
			t.Errorf("%s: %v", w.name, d.Drop)
		}
	}
	p := pairOf(t, association4(AES128GCM16))
	_, err := p.sender.AppendKeepalive(nil)
	wantField(t, err, "Carrier")
}

// TestInnerMTU wants the longest packet that fits to fit, and one byte more not to.
func TestInnerMTU(t *testing.T) {
	for _, w := range ways() {
		for _, transform := range []Transform{AES128GCM16, AES128GCM8, AES256CCM12, AES128GCM16IIV} {
			for _, mtu := range []int{576, 1280, 1281, 1282, 1283, 1500} {
				o := OutboundConfig{Association: w.association(transform), PathMTU: mtu}
				p := newPair(t, o, InboundConfig{Association: o.Association})
				inner := p.sender.InnerMTU(mtu)
				burst, by := p.burst(sized(&w, inner), sized(&w, inner+1))
				p.out.Protect(burst, by)
				if burst[0].Drop != record.DropNone || burst[0].Len > mtu || burst[0].Len < mtu-3 || burst[1].Drop != record.DropPathMTU {
					t.Errorf("%s, %v, path MTU %d: inner MTU %d gives %d bytes, %v", w.name, transform, mtu, inner, burst[0].Len, causes(burst))
				}
			}
		}
	}
}

// sized is a packet of n bytes.
func sized(w *way, n int) []byte {
	header := 20
	if w.inner[0].Is6() {
		header = 40
	}
	return ipPacket(w.inner[0], w.inner[1], 200, make([]byte, n-header))
}

func TestSetPathMTU(t *testing.T) {
	p := pairOf(t, association4(AES128GCM16))
	wantField(t, p.sender.SetPathMTU(67), "PathMTU")
	must(t, p.sender.SetPathMTU(100))
	if p.sender.PathMTU() != 100 || p.sender.InnerMTU(20) != 0 {
		t.Errorf("path MTU %d, inner of 20 %d", p.sender.PathMTU(), p.sender.InnerMTU(20))
	}
	burst, by := p.burst(make([]byte, 0))
	burst[0] = datagram(sized(&way{inner: host4}, 100), 40, 40)
	if p.out.Protect(burst, by); burst[0].Drop != record.DropPathMTU {
		t.Errorf("%v", burst[0].Drop)
	}
	must(t, p.sender.SetPathMTU(0))
	burst[0].Drop = record.DropNone
	if p.out.Protect(burst, by); burst[0].Drop != record.DropNone {
		t.Errorf("without one: %v", burst[0].Drop)
	}
}

// TestIPv6ExtensionHeaders looks where ESP goes in transport mode, and that the packet comes
// back (RFC 4303 section 3.1.1).
func TestIPv6ExtensionHeaders(t *testing.T) {
	const hop, routing, options = 0, 43, 60
	for _, c := range []struct {
		chain []byte
		split int // how many of them stay outside
	}{
		{nil, 0}, {[]byte{hop}, 1}, {[]byte{hop, routing}, 2}, {[]byte{options}, 0}, {[]byte{hop, options}, 1},
		{[]byte{options, routing}, 2}, {[]byte{hop, options, routing, options}, 3},
	} {
		for _, carrier := range []Carrier{InIP, InUDP} {
			name := fmt.Sprintf("headers %v, carrier %d", c.chain, carrier)
			a := Association{SPI: 4711, Transform: AES128GCM16, Key: keyOf(AES128GCM16), Mode: Transport, Carrier: carrier}
			p := pairOf(t, a)
			packet := chained(c.chain)
			sealed := p.seal(t, packet)[0].Content()
			at := 40 + 16*c.split
			if carrier == InUDP {
				at += 8
			}
			if spi := binary.BigEndian.Uint32(sealed[at:]); spi != 4711 {
				t.Errorf("%s: SPI %d at %d of %x", name, spi, at, sealed)
			}
			if d := p.open(sealed); d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
				t.Errorf("%s: %v\n%x, want\n%x", name, d.Drop, d.Content(), packet)
			}
		}
	}
}

// chained is an IPv6 packet with those extension headers, 16 bytes each.
func chained(chain []byte) []byte {
	next := append(append([]byte(nil), chain...), 17)
	var payload []byte
	for i := range chain {
		payload = append(payload, next[i+1], 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	udp := udpPacket(host6[0], host6[1], []byte("payload"))[40:]
	return ipPacket(host6[0], host6[1], next[0], append(payload, udp...))
}

func TestIPv6BadChains(t *testing.T) {
	p := pairOf(t, Association{SPI: 4711, Transform: AES128GCM16, Key: keyOf(AES128GCM16), Mode: Transport})
	for name, c := range map[string]struct {
		next    byte
		payload []byte
		want    record.Drop
	}{
		"fragment":            {44, make([]byte, 16), record.DropFragment},
		"half a header":       {0, make([]byte, 7), record.DropTruncated},
		"header past the end": {60, []byte{50, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, record.DropTruncated},
		"fragment behind":     {0, append([]byte{44, 0, 0, 0, 0, 0, 0, 0}, make([]byte, 16)...), record.DropFragment},
		"no header behind":    {43, []byte{43, 0, 0, 0, 0, 0, 0, 0}, record.DropTruncated},
	} {
		packet := ipPacket(host6[0], host6[1], c.next, c.payload)
		burst, by := p.burst(packet)
		if p.out.Protect(burst, by); burst[0].Drop != c.want {
			t.Errorf("%s: sent: %v, want %v", name, burst[0].Drop, c.want)
		}
		if d := p.open(packet); d.Drop != c.want {
			t.Errorf("%s: received: %v, want %v", name, d.Drop, c.want)
		}
	}
}

// TestIPv4Options keeps them outside ESP.
func TestIPv4Options(t *testing.T) {
	a := association4(AES128GCM16)
	a.Mode = Transport
	p := pairOf(t, a)
	plain := udpPacket(host4[0], host4[1], []byte("payload"))
	packet := append(append(append([]byte(nil), plain[:20]...), 1, 1, 1, 0), plain[20:]...)
	packet[0] = 0x46
	binary.BigEndian.PutUint16(packet[2:], uint16(len(packet)))
	fixChecksum(packet)
	sealed := p.seal(t, packet)[0].Content()
	if sealed[0] != 0x46 || !bytes.Equal(sealed[20:24], []byte{1, 1, 1, 0}) || binary.BigEndian.Uint32(sealed[24:]) != a.SPI ||
		slowChecksum(sealed[:24]) != 0 {
		t.Errorf("sealed %x", sealed)
	}
	if d := p.open(sealed); d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
		t.Errorf("%v: %x, want %x", d.Drop, d.Content(), packet)
	}
}

// TestOuterChecksum tries every identification, so that every carry comes up.
func TestOuterChecksum(t *testing.T) {
	for i, length := range []int{40, 1500, 65535, 40, 1500, 65535} {
		a := association4(AES128GCM16)
		if i >= 3 { // a sum that carries more
			a.Source, a.Destination = netip.MustParseAddr("176.0.0.1"), netip.MustParseAddr("1.0.0.1")
		}
		o := newOuter(&OutboundConfig{Association: a})
		packet := make([]byte, length)
		for id := range 1 << 16 {
			o.put(packet, 0x21<<48, uint16(id))
			if slowChecksum(packet[:20]) != 0 || binary.BigEndian.Uint16(packet[4:]) != uint16(id) {
				t.Fatalf("identification %#x: header %x", id, packet[:20])
			}
		}
	}
}
