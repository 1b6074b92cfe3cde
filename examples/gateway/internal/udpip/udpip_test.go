package udpip_test

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/sealburst/sealburst/examples/gateway/internal/udpip"
)

var (
	from = netip.MustParseAddrPort("198.51.100.1:49152")
	to   = netip.MustParseAddrPort("198.51.100.2:4433")
)

// oracle makes the same packet with gopacket.
func oracle(t *testing.T, payload []byte) []byte {
	t.Helper()
	ip := &layers.IPv4{
		Version: 4, IHL: 5, TTL: 64, Protocol: layers.IPProtocolUDP, Flags: layers.IPv4DontFragment,
		SrcIP: from.Addr().AsSlice(), DstIP: to.Addr().AsSlice(),
	}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port()), DstPort: layers.UDPPort(to.Port())}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		t.Fatal(err)
	}
	b := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(b, options, ip, udp, gopacket.Payload(payload)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPutIsGopackets(t *testing.T) {
	buf := make([]byte, 1<<17)
	for _, size := range []int{0, 1, 2, 3, 64, 1399, 1400, 16421, udpip.MaxPayload} {
		payload := bytes.Repeat([]byte{0xff, 0xfe, 7}, size/3+1)[:size]
		n := udpip.Put(buf, from, to, payload)
		if want := oracle(t, payload); !bytes.Equal(buf[:n], want) {
			t.Errorf("%d bytes: differs from gopacket's packet", size)
		}
		d, ok := udpip.Parse(buf[:n])
		if !ok || d.From != from || d.To != to || !bytes.Equal(d.Payload, payload) {
			t.Errorf("%d bytes: parsed as %v to %v, %d bytes, %v", size, d.From, d.To, len(d.Payload), ok)
		}
	}
}

func TestParseIPv6(t *testing.T) {
	ip := &layers.IPv6{Version: 6, HopLimit: 9, NextHeader: layers.IPProtocolUDP,
		SrcIP: netip.MustParseAddr("2001:db8::1").AsSlice(), DstIP: netip.MustParseAddr("2001:db8::2").AsSlice()}
	udp := &layers.UDP{SrcPort: 5, DstPort: 6}
	if err := udp.SetNetworkLayerForChecksum(ip); err != nil {
		t.Fatal(err)
	}
	b := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(b, options, ip, udp, gopacket.Payload("hello")); err != nil {
		t.Fatal(err)
	}
	d, ok := udpip.Parse(append(b.Bytes(), 0, 0)) // a frame's padding behind it
	if !ok || d.From.String() != "[2001:db8::1]:5" || d.To.String() != "[2001:db8::2]:6" || string(d.Payload) != "hello" {
		t.Errorf("%+v, %v", d, ok)
	}
}

func TestParseRefuses(t *testing.T) {
	buf := make([]byte, 200)
	good := buf[:udpip.Put(buf, from, to, []byte("payload"))]
	change := func(at int, value byte) []byte {
		bad := bytes.Clone(good)
		bad[at] = value
		return bad
	}
	for name, bad := range map[string][]byte{
		"nothing":                {},
		"version 5":              change(0, 0x55),
		"header of 16 bytes":     change(0, 0x44),
		"header past the packet": change(0, 0x4f),
		"TCP":                    change(9, 6),
		"total past the packet":  change(3, 200),
		"total inside header":    change(3, 10),
		"first fragment":         change(6, 0x20),
		"later fragment":         change(7, 1),
		"UDP length past packet": change(25, 200),
		"UDP length of 7":        change(25, 7),
	} {
		if _, ok := udpip.Parse(bad); ok {
			t.Errorf("%s: taken", name)
		}
	}
	for n := range len(good) {
		if _, ok := udpip.Parse(good[:n]); ok {
			t.Errorf("cut to %d of %d bytes: taken", n, len(good))
		}
	}
}

func FuzzParse(f *testing.F) {
	buf := make([]byte, 200)
	f.Add(bytes.Clone(buf[:udpip.Put(buf, from, to, []byte("payload"))]))
	f.Add(append([]byte{0x60, 0, 0, 0, 0, 8, 17, 64}, make([]byte, 40)...))
	f.Fuzz(func(t *testing.T, packet []byte) {
		if d, ok := udpip.Parse(packet); ok && len(d.Payload) > len(packet)-28 {
			t.Fatal("the payload is longer than the packet")
		}
	})
}
