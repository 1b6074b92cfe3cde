package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// tcpPacket is a TCP segment with its checksum.
func tcpPacket(from, to netip.Addr, payload []byte) []byte {
	tcp := append(make([]byte, 20), payload...)
	tcp[1], tcp[3], tcp[12] = 1, 2, 0x50
	pseudo := append(append(from.AsSlice(), to.AsSlice()...), 0, 6, byte(len(tcp)>>8), byte(len(tcp)))
	binary.BigEndian.PutUint16(tcp[16:], slowChecksum(append(pseudo, tcp...)))
	return ipPacket(from, to, 6, tcp)
}

// TestTransportModeThroughNAT changes both addresses on the way. What is opened has the new
// ones, and checksums that are right for them (RFC 3948 section 3.1.2).
func TestTransportModeThroughNAT(t *testing.T) {
	for _, c := range []struct{ before, after [2]netip.Addr }{{host4, gateway4}, {host6, gateway6}} {
		a := association4(AES128GCM16)
		a.Mode, a.Carrier, a.Source, a.Destination = Transport, InUDP, netip.Addr{}, netip.Addr{}
		p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, OriginalSource: c.before[0], OriginalDestination: c.before[1]})
		for size := range 70 {
			translated(t, p, c.after, udpPacket(c.before[0], c.before[1], pattern(size)), udpPacket(c.after[0], c.after[1], pattern(size)))
			translated(t, p, c.after, tcpPacket(c.before[0], c.before[1], pattern(size)), tcpPacket(c.after[0], c.after[1], pattern(size)))
			other := func(a [2]netip.Addr) []byte { return ipPacket(a[0], a[1], 132, pattern(size)) }
			translated(t, p, c.after, other(c.before), other(c.after))
			short := func(a [2]netip.Addr) []byte { return ipPacket(a[0], a[1], 6, pattern(size%18)) }
			translated(t, p, c.after, short(c.before), short(c.after))
		}
	}
}

// translated sends before through a NAT and wants after.
func translated(t *testing.T, p *pair, to [2]netip.Addr, before, after []byte) {
	t.Helper()
	sealed := p.seal(t, before)[0].Content()
	if sealed[0]>>4 == 6 {
		copy(sealed[8:], append(to[0].AsSlice(), to[1].AsSlice()...))
	} else {
		copy(sealed[12:], append(to[0].AsSlice(), to[1].AsSlice()...))
		fixChecksum(sealed)
	}
	if d := p.open(sealed); d.Drop != record.DropNone || !bytes.Equal(d.Content(), after) {
		t.Errorf("%v:\n%x, want\n%x", d.Drop, d.Content(), after)
	}
}

// TestNATWithoutUDPChecksum leaves a UDP checksum of zero alone.
func TestNATWithoutUDPChecksum(t *testing.T) {
	a := association4(AES128GCM16)
	a.Mode, a.Carrier = Transport, InUDP
	p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, OriginalSource: host4[0], OriginalDestination: host4[1]})
	without := func(a [2]netip.Addr) []byte {
		packet := udpPacket(a[0], a[1], nil)
		packet[26], packet[27] = 0, 0
		return packet
	}
	translated(t, p, gateway4, without(host4), without(gateway4))
}

// TestUDPChecksumIsNeverZero tries every checksum that there is: zero would mean none.
func TestUDPChecksumIsNeverZero(t *testing.T) {
	addresses, datagram := pattern(32), pattern(10)
	datagram[6], datagram[7] = 0, 0
	pseudo := append(bytes.Clone(addresses), 0, 0, 0, 10, 0, 0, 0, 17)
	whole := append(pseudo, datagram...)
	sum := originalsOf(host4[0], host4[1])
	for tail := range 1 << 16 {
		binary.BigEndian.PutUint16(datagram[8:], uint16(tail))
		binary.BigEndian.PutUint16(whole[len(whole)-2:], uint16(tail))
		want := slowChecksum(whole)
		if want == 0 {
			want = 0xffff
		}
		if got := udpIPv6Checksum(addresses, datagram); got != want {
			t.Fatalf("%#x, want %#x", got, want)
		}
		before, after := udpPacket(host4[0], host4[1], datagram[8:]), udpPacket(gateway4[0], gateway4[1], datagram[8:])
		copy(before[12:20], after[12:20])
		fixChecksum(before)
		h := ipHeader{protocol: 17, size: 20}
		if sum.repair(before, &h); !bytes.Equal(before, after) {
			t.Fatalf("repaired to %x, want %x", before, after)
		}
	}
}
