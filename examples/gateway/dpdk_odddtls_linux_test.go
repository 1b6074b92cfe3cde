//go:build dpdk

package main

import (
	"bytes"
	"testing"
)

// oddDatagrams come to the protected side of a gateway that serves DTLS, from where client
// 0 is, and none is a client's.
func oddDatagrams() []oddFrame {
	datagram := func(change func(p []byte)) []byte {
		return toGateway(2, ofIPv4, plainIPv4(100, func(p []byte) {
			p[9] = 17
			copy(p[12:], []byte{192, 0, 2, 2, 192, 0, 2, 1, firstPort >> 8, firstPort & 255, 4433 >> 8, 4433 & 255, 0, 80, 0, 0})
			copy(p[28:], []byte{applicationData, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 9, 9, 0, 59})
			change(p)
		}))
	}
	wrong := datagram(asItIs)
	wrong[14+11] ^= 1
	return []oddFrame{
		{"unauthentic", datagram(asItIs)}, // forged
		{"fragment", datagram(func(p []byte) { p[6] = 0x20 })},
		{"fragment", datagram(func(p []byte) { p[7] = 5 })},             // a later one
		{"refused-type", datagram(func(p []byte) { p[9] = 6 })},         // TCP
		{"refused-type", datagram(func(p []byte) { p[23]++ })},          // to another port
		{"malformed", datagram(func(p []byte) { p[25] = 7 })},           // shorter than its own header
		{"truncated", datagram(func(p []byte) { p[25] = 200 })},         // longer than its packet
		{"truncated", datagram(func(p []byte) { p[3] = 24 })[:14+24]},   // no whole header of UDP
		{"truncated", datagram(func(p []byte) { p[0] = 0x46 })[:14+20]}, // nor of IP
		{"malformed", wrong}, // its header's checksum
		{"refused-type", toGateway(2, ofVLAN, tagged())},
		{"refused-type", toGateway(2, ofLLDP, tagged())},
		{"refused-type", toGateway(2, ofLength, tagged())},
		{"refused-type", toGateway(9, ofIPv4, plainIPv4(60, asItIs))},    // to another host
		{"malformed", toGateway(2, ofARP, make([]byte, 20))},             // no ARP
		{"truncated", toGateway(2, ofIPv6, []byte{0x60, 0, 0, 9})},       // cut in the header
		{"truncated", toGateway(2, ofIPv4, plainIPv4(60, asItIs))[:9]},   // a runt
		{"malformed", toGateway(2, ofIPv4, bytes.Repeat([]byte{0}, 60))}, // of no version of IP
	}
}

// TestOddDatagramsOfDTLSOnDPDK are dropped by cause, those inside an authentic record too,
// and the client between them loses nothing.
func TestOddDatagramsOfDTLSOnDPDK(t *testing.T) {
	const packets = 5
	g := newDTLSGateway(t, 1)
	one, err := g.clients.connect(t.Context(), 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.log())
	}
	odd, drops := causes(oddDatagrams())
	for _, frame := range odd {
		g.clients.cable.send(frame)
	}
	foreign := inPacket(one, 0)
	foreign[15]++
	fixIPv4(foreign)
	for _, inside := range []oddFrame{{"wrong-source", foreign}, {"malformed", bytes.Repeat([]byte{0x99}, 60)}, {"malformed", bytes.Repeat([]byte{0x4f}, 40)}} {
		if _, err := one.Write(inside.bytes); err != nil {
			t.Fatal(err)
		}
		drops[inside.cause]++
	}
	if err := g.plain.talk(one, packets); err != nil {
		t.Error(err)
	}
	drops["replayed"]++ // as talk does
	drops["unauthentic"]++
	sum := totalsOf(g.process)
	sum.Out.account(t, "plain", g.plain.sent, packets, nil)
	sum.In.account(t, "protected", uint64(len(odd))+g.clients.packets.Load(), packets, drops)
}
