package ipsecadapter

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/record"
)

func prefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// TestSelectors sends a UDP packet from 10.1.0.3 port 5000 to 10.2.0.9 port 53, or the same
// in IPv6, through SAs that may not carry everything.
func TestSelectors(t *testing.T) {
	tail := func(b []byte) []byte { // a fragment that is not the first
		b = bytes.Clone(b)
		if b[0]>>4 == 4 {
			b[7] = 5
			fixChecksum(b)
			return b
		}
		return ipPacket(host6[0], host6[1], 44, append([]byte{17, 0, 0, 40, 0, 0, 0, 1}, b[40:]...))
	}
	for _, c := range []struct {
		name      string
		selectors []Selector
		v4, v6    bool
		tail      bool // whether a later IPv4 fragment passes too
	}{
		{"none", nil, true, true, true},
		{"anything", []Selector{{}}, true, true, true},
		{"source", []Selector{{Source: prefix("10.1.0.0/16")}}, true, false, true},
		{"another source", []Selector{{Source: prefix("10.2.0.0/16")}}, false, false, false},
		{"IPv6 source", []Selector{{Source: prefix("fd00:1::/32")}}, false, true, false},
		{"destination", []Selector{{Destination: prefix("10.2.0.9/32")}}, true, false, true},
		{"another destination", []Selector{{Destination: prefix("10.2.0.8/32")}}, false, false, false},
		{"both", []Selector{{Source: prefix("10.1.0.0/16"), Destination: prefix("10.1.0.0/16")}}, false, false, false},
		{"UDP", []Selector{{Protocol: 17}}, true, true, true},
		{"TCP", []Selector{{Protocol: 6}}, false, false, false},
		{"port", []Selector{{Protocol: 17, DestinationPorts: PortRange{53, 53}}}, true, true, false},
		{"source port", []Selector{{Protocol: 17, SourcePorts: PortRange{4000, 5000}}}, true, true, false},
		{"ports exchanged", []Selector{{Protocol: 17, SourcePorts: PortRange{53, 53}}}, false, false, false},
		{"another port", []Selector{{Protocol: 17, DestinationPorts: PortRange{54, 60}}}, false, false, false},
		{"one of two", []Selector{{Protocol: 6}, {Protocol: 17}}, true, true, true},
	} {
		for _, mode := range []Mode{Tunnel, Transport} {
			a := association4(AES128GCM16)
			a.Mode = mode
			p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, Selectors: c.selectors})
			v4, v6 := udpPacket(host4[0], host4[1], pattern(9)), udpPacket(host6[0], host6[1], pattern(9))
			through(t, c.name+", IPv4", p, v4, c.v4)
			through(t, c.name+", IPv6", p, v6, c.v6)
			through(t, c.name+", IPv6 with extension headers", p, chained([]byte{0, 60}), c.v6)
			if mode == Tunnel {
				through(t, c.name+", IPv4 fragment", p, tail(v4), c.tail)
				through(t, c.name+", IPv6 fragment", p, tail(v6), c.v6 && (len(c.selectors) == 0 || c.selectors[0].DestinationPorts == PortRange{} && c.selectors[0].SourcePorts == PortRange{}))
			}
		}
	}
}

func through(t *testing.T, name string, p *pair, packet []byte, want bool) {
	t.Helper()
	cause := record.DropNone
	if !want {
		cause = record.DropSelector
	}
	if d := p.open(p.seal(t, packet)[0].Content()); d.Drop != cause {
		t.Errorf("%s: %v, want %v", name, d.Drop, cause)
	}
}

// TestSelectorsWithoutPorts has a packet too short for the ports that are asked for.
func TestSelectorsWithoutPorts(t *testing.T) {
	a := association4(AES128GCM16)
	selectors := []Selector{{Protocol: 17, DestinationPorts: PortRange{1, 65535}}}
	p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, Selectors: selectors})
	through(t, "3 bytes of UDP", p, ipPacket(host4[0], host4[1], 17, make([]byte, 3)), false)
	through(t, "nothing behind extension headers", p, ipPacket(host6[0], host6[1], 0, []byte{17, 0, 0, 0, 0, 0, 0, 0}), false)
	through(t, "extension header past the end", p, ipPacket(host6[0], host6[1], 0, []byte{17, 9, 0, 0, 0, 0, 0, 0}), false)
}
