package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shared spares each test the engine's self-test. It is never closed.
var shared = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{AllowLegacy: true}) })

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := shared()
	must(t, err)
	return e
}

var (
	gateway4 = [2]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.7")}
	gateway6 = [2]netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8:ffff::7")}
	host4    = [2]netip.Addr{netip.MustParseAddr("10.1.0.3"), netip.MustParseAddr("10.2.0.9")}
	host6    = [2]netip.Addr{netip.MustParseAddr("fd00:1::3"), netip.MustParseAddr("fd00:2::9")}
)

// keyOf is key material for a transform, the same for both ends.
func keyOf(t Transform) []byte {
	key := make([]byte, t.KeySize())
	for i := range key {
		key[i] = byte(7*i + int(t))
	}
	return key
}

// association4 is a tunnel over IPv4.
func association4(t Transform) Association {
	return Association{SPI: 0x1234abcd, Transform: t, Key: keyOf(t), Mode: Tunnel, Source: gateway4[0], Destination: gateway4[1]}
}

// pair is an SA with both its ends.
type pair struct {
	out      *Outbound
	in       *Inbound
	db       *Database
	sender   *OutboundSA
	receiver *InboundSA
}

func newPair(t testing.TB, o OutboundConfig, i InboundConfig) *pair {
	t.Helper()
	e := newEngine(t)
	p := &pair{out: NewOutbound(e), db: NewDatabase()}
	p.in = NewInbound(e, p.db, InboundOptions{Socket: o.Carrier == InSocket})
	var err error
	p.sender, err = NewOutboundSA(e, o)
	must(t, err)
	p.receiver, err = NewInboundSA(e, i)
	must(t, err)
	must(t, p.db.Add(p.receiver))
	return p
}

func pairOf(t testing.TB, a Association) *pair {
	t.Helper()
	return newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a})
}

// seal sends packets through the pair's SA, which must take them all.
func (p *pair) seal(t testing.TB, packets ...[]byte) []record.Datagram {
	t.Helper()
	burst, by := p.burst(packets...)
	if n := p.out.Protect(burst, by); n != len(packets) {
		t.Fatalf("%d of %d packets sealed: %v", n, len(packets), causes(burst))
	}
	return burst
}

func (p *pair) burst(packets ...[]byte) (burst []record.Datagram, by []*OutboundSA) {
	for _, packet := range packets {
		burst = append(burst, datagram(packet, p.sender.Headroom(), p.sender.Tailroom()))
		by = append(by, p.sender)
	}
	return burst, by
}

// open receives one datagram and returns what became of it.
func (p *pair) open(packet []byte) record.Datagram {
	burst := []record.Datagram{datagram(packet, 0, 0)}
	p.in.Unprotect(burst, nil)
	return burst[0]
}

func causes(burst []record.Datagram) (all []record.Drop) {
	for i := range burst {
		all = append(all, burst[i].Drop)
	}
	return all
}

// datagram puts a packet between rooms that are full of rubbish.
func datagram(packet []byte, front, back int) record.Datagram {
	buf := bytes.Repeat([]byte{0xa5}, front+len(packet)+back)
	copy(buf[front:], packet)
	return record.Datagram{Buf: buf, Off: front, Len: len(packet)}
}

// udpPacket is an IP packet of a UDP datagram with right lengths and checksums, made without
// the code under test.
func udpPacket(from, to netip.Addr, payload []byte) []byte {
	udp := make([]byte, 8+len(payload))
	binary.BigEndian.PutUint16(udp, 5000)
	binary.BigEndian.PutUint16(udp[2:], 53)
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	copy(udp[8:], payload)
	pseudo := append(append(from.AsSlice(), to.AsSlice()...), 0, 17, byte(len(udp)>>8), byte(len(udp)))
	checksum := slowChecksum(append(pseudo, udp...))
	if checksum == 0 {
		checksum = 0xffff
	}
	binary.BigEndian.PutUint16(udp[6:], checksum)
	return ipPacket(from, to, 17, udp)
}

// ipPacket is an IP packet with that payload.
func ipPacket(from, to netip.Addr, protocol byte, payload []byte) []byte {
	if from.Is6() {
		h := make([]byte, 40, 40+len(payload))
		h[0], h[6], h[7] = 0x60, protocol, 61
		binary.BigEndian.PutUint16(h[4:], uint16(len(payload)))
		copy(h[8:], from.AsSlice())
		copy(h[24:], to.AsSlice())
		return append(h, payload...)
	}
	h := make([]byte, 20, 20+len(payload))
	h[0], h[8], h[9] = 0x45, 61, protocol
	binary.BigEndian.PutUint16(h[2:], uint16(20+len(payload)))
	binary.BigEndian.PutUint16(h[4:], 0x5eed)
	copy(h[12:], from.AsSlice())
	copy(h[16:], to.AsSlice())
	fixChecksum(h)
	return append(h, payload...)
}

// fixChecksum gives an IPv4 packet its header checksum.
func fixChecksum(packet []byte) {
	packet[10], packet[11] = 0, 0
	binary.BigEndian.PutUint16(packet[10:], slowChecksum(packet[:int(packet[0]&15)*4]))
}

// slowChecksum is RFC 1071 as it is written there.
func slowChecksum(b []byte) uint16 {
	var total uint32
	for i := 0; i < len(b); i += 2 {
		word := uint32(b[i]) << 8
		if i+1 < len(b) {
			word |= uint32(b[i+1])
		}
		if total += word; total > 0xffff {
			total -= 0xffff
		}
	}
	return ^uint16(total)
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 31)
	}
	return b
}
