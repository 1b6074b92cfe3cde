package quicadapter

import (
	"testing"

	"github.com/sealburst/sealburst/record"
)

// A packet of any type with a fixed bit of 0 is refused, and good where the table says so.
func TestGreasedFixedBit(t *testing.T) {
	for _, v := range versions {
		for _, typ := range []Type{Initial, ZeroRTT, Handshake, OneRTT} {
			l := newLink(t, v)
			l.initial(clientChoice)
			if typ != Initial {
				l.both(typ, AES128GCM, secretOf(AES128GCM, 3))
			}
			l.add(l.server, "")
			greased := func() []byte {
				p := outgoing(l.client, typ, []byte("payload"))
				p.Greased = true
				return l.seal(p)
			}
			wire := greased()
			if wire[0]&fixedBit != 0 {
				t.Fatalf("%v: first byte %02x", typ, wire[0])
			}
			l.drops(wire, record.DropMalformed)
			l.table.AcceptGreased()
			l.opens(wire, 0, []byte("payload"))
			burst := []record.Datagram{datagram(greased()), datagram(l.seal(outgoing(l.client, typ, []byte("payload")))), datagram(greased())}
			packets, n := l.in.Open(burst)
			if n != 3 || !packets[0].Greased || packets[1].Greased || !packets[2].Greased {
				t.Errorf("%v: %d good", typ, n)
			}
		}
	}
}

// The bit is authenticated: it cannot be flipped on the way.
func TestFlippedFixedBitIsAForgery(t *testing.T) {
	l := pair(t)
	l.table.AcceptGreased()
	wire := l.seal(outgoing(l.client, OneRTT, []byte("payload")))
	wire[0] &^= fixedBit
	l.drops(wire, record.DropUnauthentic)
}

// Version Negotiation has no fixed bit, and other versions may have none.
func TestFixedBitIsNoneOfOtherVersions(t *testing.T) {
	var h Header
	if drop := h.Parse([]byte{0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0); drop != record.DropNone || h.Greased {
		t.Errorf("Version Negotiation: %v, %+v", drop, h)
	}
	if drop := h.Parse([]byte{0x80, 0xfa, 0xce, 0xb0, 0x0c, 0, 0}, 0); drop != record.DropType || h.Greased {
		t.Errorf("other version: %v, %+v", drop, h)
	}
}
