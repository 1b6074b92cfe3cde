package ipsecadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// TestTenThousandSAs carries a packet through each of 10,000 SAs, of ESP and of AH under the
// same SPIs, in bursts that hold 64 of them.
func TestTenThousandSAs(t *testing.T) {
	const pairs = 5000
	e := newEngine(t)
	db := NewDatabase()
	out, in := NewOutbound(e), NewInbound(e, db, InboundOptions{})
	var senders []*OutboundSA
	for i := range 2 * pairs {
		a := association4(AES128GCM16)
		if i%2 == 1 {
			a = association4(AES128GMAC)
			a.Protocol = AH
		}
		a.SPI = uint32(0x1000 + 77*(i/2))
		sender, err := NewOutboundSA(e, OutboundConfig{Association: a})
		must(t, err)
		receiver, err := NewInboundSA(e, InboundConfig{Association: a})
		must(t, err)
		must(t, db.Add(receiver))
		senders = append(senders, sender)
	}
	if db.Len() != 2*pairs {
		t.Fatalf("%d SAs", db.Len())
	}
	packet := udpPacket(host4[0], host4[1], pattern(30))
	for at := 0; at < len(senders); at += 100 {
		by := senders[at : at+100]
		burst := make([]record.Datagram, len(by))
		for i := range burst {
			burst[i] = datagram(packet, by[i].Headroom(), by[i].Tailroom())
		}
		if n := out.Protect(burst, by); n != len(burst) {
			t.Fatalf("from %d: %d sealed: %v", at, n, causes(burst))
		}
		found := make([]*InboundSA, len(by))
		if n := in.Unprotect(burst, found); n != len(burst) {
			t.Fatalf("from %d: %d opened: %v", at, n, causes(burst))
		}
		for i := range burst {
			if !bytes.Equal(burst[i].Content(), packet) || found[i].SPI() != by[i].SPI() || found[i].Protocol() != by[i].Protocol() {
				t.Fatalf("SA %d: %x through %v %#x", at+i, burst[i].Content(), found[i].Protocol(), found[i].SPI())
			}
		}
	}
	if db.Lookup(0x1000).Protocol() != ESP || db.LookupAH(0x1000).Protocol() != AH || db.LookupAH(0x1001) != nil {
		t.Error("not the SAs that were added")
	}
}

// TestBundle protects packets by ESP and then by AH, in transport mode and in tunnels, and takes
// both off again (RFC 4301 section 4.3).
func TestBundle(t *testing.T) {
	for _, mode := range []Mode{Transport, Tunnel} {
		for _, packet := range [][]byte{udpPacket(host4[0], host4[1], pattern(33)), udpPacket(host6[0], host6[1], pattern(33))} {
			for _, inner := range []Transform{AES128GCM16, aesSHA256, EncryptThenMAC(ciphers.TripleDESCBC, ciphers.HMACSHA1)} {
				for _, outer := range AHTransforms() {
					bundle(t, mode, packet, inner, outer)
				}
			}
		}
	}
}

func bundle(t *testing.T, mode Mode, packet []byte, inner, outer Transform) {
	t.Helper()
	a := association4(inner)
	a.Mode = mode
	esp := pairOf(t, a)
	a.Protocol, a.Transform, a.Key, a.Mode = AH, outer, keyOf(outer), Transport
	ah := pairOf(t, a)
	room := esp.sender.Headroom() + ah.sender.Headroom()
	burst := []record.Datagram{datagram(packet, room, esp.sender.Tailroom()+ah.sender.Tailroom()), {Buf: []byte{0x45}, Len: 1}}
	esp.out.Protect(burst, []*OutboundSA{esp.sender, esp.sender})
	ah.out.Protect(burst, []*OutboundSA{ah.sender, ah.sender})
	wantCauses(t, "sealed", causes(burst), record.DropNone, record.DropTruncated)
	wire := bytes.Clone(burst[0].Content())
	ah.in.Unprotect(burst, nil)
	esp.in.Unprotect(burst, nil)
	wantCauses(t, "opened", causes(burst), record.DropNone, record.DropTruncated)
	if !bytes.Equal(burst[0].Content(), packet) {
		t.Errorf("%v in %v, mode %d:\n%x, want\n%x", inner, outer, mode, burst[0].Content(), packet)
	}
	if d := esp.open(wire); d.Drop != record.DropUnknownSession { // of AH, which the receiver of ESP has no SA for
		t.Errorf("without AH: %v", d.Drop)
	}
}
