package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// way is one way to carry a packet.
type way struct {
	name    string
	mode    Mode
	carrier Carrier
	esn     bool
	outer   [2]netip.Addr
	inner   [2]netip.Addr
}

func ways() (all []way) {
	families := map[string][2]netip.Addr{"IPv4": gateway4, "IPv6": gateway6}
	hosts := map[string][2]netip.Addr{"IPv4": host4, "IPv6": host6}
	for _, esn := range []bool{false, true} {
		for _, in := range []string{"IPv4", "IPv6"} {
			for _, carrier := range []Carrier{InIP, InUDP} {
				suffix := fmt.Sprintf(" of %s, carrier %d, ESN %v", in, carrier, esn)
				all = append(all, way{"transport" + suffix, Transport, carrier, esn, hosts[in], hosts[in]})
				for _, out := range []string{"IPv4", "IPv6"} {
					all = append(all, way{"tunnel over " + out + suffix, Tunnel, carrier, esn, families[out], hosts[in]})
				}
			}
			all = append(all, way{fmt.Sprintf("socket of %s, ESN %v", in, esn), Tunnel, InSocket, esn, [2]netip.Addr{}, hosts[in]})
		}
	}
	return all
}

func (w *way) association(t Transform) Association {
	return Association{SPI: 0xc0ffee01, Transform: t, Key: keyOf(t), Mode: w.mode, Carrier: w.carrier, ESN: w.esn,
		Source: w.outer[0], Destination: w.outer[1]}
}

// cut takes the outer headers off a packet and checks them: what is left is ESP.
func (w *way) cut(t *testing.T, packet []byte) []byte {
	t.Helper()
	if w.carrier == InSocket {
		return packet
	}
	next, rest := checkOuter(t, packet, w.outer)
	if w.carrier == InIP {
		if next != 50 {
			t.Errorf("%s: protocol %d", w.name, next)
		}
		return rest
	}
	if next != 17 || binary.BigEndian.Uint16(rest[2:]) != 4500 || int(binary.BigEndian.Uint16(rest[4:])) != len(rest) {
		t.Errorf("%s: protocol %d, UDP header %x", w.name, next, rest[:8])
	}
	checkUDPSum(t, packet, rest)
	return rest[8:]
}

// checkUDPSum wants zero over IPv4, and the right one over IPv6.
func checkUDPSum(t *testing.T, packet, udp []byte) {
	t.Helper()
	if packet[0]>>4 == 4 {
		if udp[6]|udp[7] != 0 {
			t.Errorf("UDP checksum %x over IPv4", udp[6:8])
		}
		return
	}
	pseudo := append(append([]byte(nil), packet[8:40]...), 0, 0, byte(len(udp)>>8), byte(len(udp)), 0, 0, 0, 17)
	if slowChecksum(append(pseudo, udp...)) != 0 {
		t.Errorf("UDP checksum %x is wrong", udp[6:8])
	}
}

// checkOuter checks length, checksum and addresses of an IP packet.
func checkOuter(t *testing.T, packet []byte, addresses [2]netip.Addr) (next byte, rest []byte) {
	t.Helper()
	if packet[0]>>4 == 6 {
		if n := int(binary.BigEndian.Uint16(packet[4:])); n != len(packet)-40 {
			t.Errorf("payload length %d, packet of %d", n, len(packet))
		}
		if !bytes.Equal(packet[8:40], append(addresses[0].AsSlice(), addresses[1].AsSlice()...)) {
			t.Errorf("addresses %x", packet[8:40])
		}
		return packet[6], packet[40:]
	}
	if n := int(binary.BigEndian.Uint16(packet[2:])); n != len(packet) {
		t.Errorf("total length %d, packet of %d", n, len(packet))
	}
	if slowChecksum(packet[:20]) != 0 {
		t.Errorf("IPv4 checksum is wrong: %x", packet[:20])
	}
	if !bytes.Equal(packet[12:20], append(addresses[0].AsSlice(), addresses[1].AsSlice()...)) {
		t.Errorf("addresses %x", packet[12:20])
	}
	return packet[9], packet[20:]
}

// payloadOf is what of the inner packet goes behind the ESP header, and its number.
func (w *way) payloadOf(packet []byte) (payload []byte, next byte) {
	v6 := packet[0]>>4 == 6
	switch {
	case w.mode == Tunnel && v6:
		return packet, 41
	case w.mode == Tunnel:
		return packet, 4
	case v6:
		return packet[40:], packet[6]
	}
	return packet[20:], packet[9]
}

var sizes = []int{0, 1, 2, 3, 4, 5, 6, 7, 17, 64, 255, 1000, 1400}

// TestSealAgainstOracle has the oracle open what every transform sealed on every way.
func TestSealAgainstOracle(t *testing.T) {
	for _, w := range ways() {
		for _, transform := range Transforms() {
			a := w.association(transform)
			o := newOracle(t, &a)
			e := newEngine(t)
			first := uint64(1<<32 - 3)
			if !w.esn {
				first = 1
			}
			sa, err := NewOutboundSA(e, OutboundConfig{Association: a, First: first})
			must(t, err)
			p := &pair{out: NewOutbound(e), sender: sa}
			var packets [][]byte
			for _, size := range sizes {
				packets = append(packets, udpPacket(w.inner[0], w.inner[1], pattern(size)))
			}
			for i, d := range p.seal(t, packets...) {
				esp := w.cut(t, d.Content())
				body, err := o.open(esp, first+uint64(i))
				if err != nil {
					t.Fatalf("%s, %v, %d bytes: %v", w.name, transform, sizes[i], err)
				}
				checkBody(t, &w, body, packets[i], o.align)
			}
		}
	}
}

// checkBody wants payload, padding 1, 2, 3 … and trailer.
func checkBody(t *testing.T, w *way, body, packet []byte, align int) {
	t.Helper()
	payload, next := w.payloadOf(packet)
	want := append([]byte(nil), payload...)
	for i := byte(1); (len(want)+2)%align != 0; i++ {
		want = append(want, i)
	}
	want = append(want, byte(len(want)-len(payload)), next)
	if !bytes.Equal(body, want) {
		t.Errorf("%s: body\n%x, want\n%x", w.name, body, want)
	}
}

// TestOpenFromOracle opens what the oracle sealed, under IVs that a foreign sender may choose.
func TestOpenFromOracle(t *testing.T) {
	for _, w := range ways() {
		for _, transform := range Transforms() {
			a := w.association(transform)
			p := pairOf(t, a)
			o := newOracle(t, &a)
			var burst []record.Datagram
			var packets [][]byte
			for i, size := range sizes {
				packet := udpPacket(w.inner[0], w.inner[1], pattern(size))
				payload, next := w.payloadOf(packet)
				esp := o.esp(uint64(i+1), 0xfedcba9876543210^uint64(i), payload, next, i)
				wire := esp
				if w.carrier != InSocket {
					wire = outerPacket(w.outer[0], w.outer[1], w.carrier == InUDP, esp)
					if w.mode == Transport {
						copyHeader(wire, packet)
					}
				}
				burst = append(burst, datagram(append(wire, pattern(linkPadding(&w, i))...), i, 0))
				packets = append(packets, packet)
			}
			if n := p.in.Unprotect(burst, nil); n != len(burst) {
				t.Fatalf("%s, %v: %d opened: %v", w.name, transform, n, causes(burst))
			}
			for i := range burst {
				if !bytes.Equal(burst[i].Content(), packets[i]) {
					t.Fatalf("%s, %v:\n%x, want\n%x", w.name, transform, burst[i].Content(), packets[i])
				}
			}
		}
	}
}

// linkPadding is what an Ethernet would leave behind the packet.
func linkPadding(w *way, i int) int {
	if w.carrier == InSocket {
		return 0
	}
	return i % 5
}

// copyHeader gives the outer packet of transport mode what of the original one it keeps.
func copyHeader(wire, packet []byte) {
	if packet[0]>>4 == 4 {
		copy(wire[4:9], packet[4:9])
		wire[1] = packet[1]
		fixChecksum(wire)
	}
}
