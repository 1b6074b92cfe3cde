package ipsecadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// FuzzUnprotect hands anything to a receiver that has an SA of every kind. The seeds are
// good packets of each.
func FuzzUnprotect(f *testing.F) {
	e := newEngine(f)
	db := NewDatabase()
	out := NewOutbound(e)
	for i, w := range ways() {
		a := w.association(Transforms()[i*5%len(Transforms())])
		a.SPI += uint32(i)
		sender, err := NewOutboundSA(e, OutboundConfig{Association: a})
		must(f, err)
		receiver, err := NewInboundSA(e, InboundConfig{Association: a, Window: 8192, Selectors: []Selector{{Protocol: 17, SourcePorts: PortRange{1, 9999}}}})
		must(f, err)
		must(f, db.Add(receiver))
		p := &pair{out: out, sender: sender}
		f.Add(p.seal(f, udpPacket(w.inner[0], w.inner[1], pattern(i)))[0].Content(), w.carrier == InSocket)
	}
	for i, w := range ahWays(9) {
		a := w.association(AHTransforms()[i%len(AHTransforms())])
		a.SPI += uint32(i)
		receiver, err := NewInboundSA(e, InboundConfig{Association: a})
		must(f, err)
		must(f, db.Add(receiver))
		f.Add(w.byOracle(newOracleAH(f, &a), 1), false)
	}
	f.Add(chained([]byte{0, 60, 43, 60}), false)
	in := [2]*Inbound{NewInbound(e, db, InboundOptions{}), NewInbound(e, db, InboundOptions{Socket: true})}
	f.Fuzz(func(t *testing.T, packet []byte, socket bool) {
		which := 0
		if socket {
			which = 1
		}
		wantInside(t, in[which], packet)
	})
}

// wantInside opens a datagram between canaries.
func wantInside(t *testing.T, in *Inbound, packet []byte) record.Datagram {
	t.Helper()
	burst := []record.Datagram{datagram(packet, 16, 16)}
	by := make([]*InboundSA, 1)
	n := in.Unprotect(burst, by)
	d := burst[0]
	if (n == 1) != (d.Drop == record.DropNone) || !d.Valid() {
		t.Errorf("%d delivered, %v, %d bytes at %d", n, d.Drop, d.Len, d.Off)
	}
	canary := bytes.Repeat([]byte{0xa5}, 16)
	if !bytes.Equal(d.Buf[:16], canary) || !bytes.Equal(d.Buf[len(d.Buf)-16:], canary) {
		t.Error("written outside the packet")
	}
	return d
}

// FuzzAuthenticBody has a peer with the key send any body in either mode and family.
func FuzzAuthenticBody(f *testing.F) {
	var numbers [4]uint64
	var pairs [4]*pair
	var oracles [4]*oracle
	for i := range pairs {
		a := association4(AES128GCM16)
		a.Mode = Mode(i%2 + 1)
		if i >= 2 {
			a.Source, a.Destination = gateway6[0], gateway6[1]
		}
		pairs[i] = newPair(f, OutboundConfig{Association: a}, InboundConfig{Association: a, Selectors: []Selector{{Protocol: 17, DestinationPorts: PortRange{1, 99}}}})
		oracles[i] = newOracle(f, &a)
	}
	f.Add([]byte{1, 2, 2, 59}, uint8(0))
	f.Add(append(udpPacket(host4[0], host4[1], pattern(6)), 0, 4), uint8(0))
	f.Add(append(chained([]byte{0, 43, 60}), 1, 2, 3, 4, 4, 41), uint8(2))
	f.Add([]byte{1, 1, 0, 0, 17, 255, 255, 17}, uint8(3))
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		i := which % 4
		for len(body)%4 != 0 || len(body) == 0 {
			body = append(body, 0)
		}
		if len(body) > 60000 {
			return
		}
		numbers[i]++
		esp := oracles[i].raw(numbers[i], 1, body)
		gateways := gateway4
		if i >= 2 {
			gateways = gateway6
		}
		if d := wantInside(t, pairs[i].in, outerPacket(gateways[0], gateways[1], false, esp)); d.Drop == record.DropUnauthentic {
			t.Error("not authentic")
		}
	})
}

// wantSame wants what was sealed to open to the packet, without what a link left behind it. In
// transport mode the IPv4 checksum is made anew, and a packet of protocol 59 is a dummy.
func wantSame(t *testing.T, p *pair, sealed, packet []byte) {
	t.Helper()
	d := p.open(sealed)
	if transport := p.sender.mode == Transport; transport && d.Drop == record.DropDummy {
		return
	} else if transport && packet[0]>>4 == 4 {
		copy(d.Content()[10:12], packet[10:12])
	}
	if d.Drop != record.DropNone || !bytes.HasPrefix(packet, d.Content()) {
		t.Errorf("%v: opened to\n%x, want\n%x", d.Drop, d.Content(), packet)
	}
}

// FuzzProtect hands anything to senders in both modes; what they seal, they would open.
func FuzzProtect(f *testing.F) {
	a := association4(AES128GCM16)
	tunnel := pairOf(f, a)
	a.Mode = Transport
	transport := pairOf(f, a)
	a.Protocol, a.Transform, a.Key = AH, AES128GMAC, keyOf(AES128GMAC)
	integrity := pairOf(f, a)
	for _, options := range ahOptions() {
		f.Add(withOptions(udpPacket(host4[0], host4[1], nil), options))
	}
	for _, chain := range ahChains() {
		packet, _, _ := withChain(udpPacket(host6[0], host6[1], nil), chain...)
		f.Add(packet)
	}
	f.Add(udpPacket(host4[0], host4[1], nil))
	f.Add(udpPacket(host6[0], host6[1], pattern(9)))
	f.Add(chained([]byte{0, 60, 43, 60}))
	f.Fuzz(func(t *testing.T, packet []byte) {
		for _, p := range []*pair{tunnel, transport, integrity} {
			burst, by := p.burst(packet)
			if p.out.Protect(burst, by) == 0 {
				if !bytes.Equal(burst[0].Content(), packet) {
					t.Errorf("%v, but changed", burst[0].Drop)
				}
				continue
			}
			if p != integrity || !isUnderway(packet) {
				wantSame(t, p, burst[0].Content(), packet)
			}
		}
	})
}

// isUnderway reports that a packet has stops before it, at the last of which alone AH opens it.
func isUnderway(packet []byte) bool {
	var h ipHeader
	h.parse(packet)
	w, _ := h.walk(packet[:h.total])
	here, there := bytes.Clone(packet[:w.split]), bytes.Clone(packet[:w.split])
	zeroMutable(here, false)
	zeroMutable(there, true)
	return !bytes.Equal(here, there)
}
