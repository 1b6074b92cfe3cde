package ippacket_test

import (
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
)

func TestAddresses(t *testing.T) {
	four := append(append([]byte{0x45}, make([]byte, 11)...), 10, 0, 0, 1, 10, 0, 0, 2)
	source, destination, ok := ippacket.Addresses(four)
	if !ok || source != netip.MustParseAddr("10.0.0.1") || destination != netip.MustParseAddr("10.0.0.2") {
		t.Errorf("IPv4: %v to %v, %v", source, destination, ok)
	}
	a, b := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	six := append(append([]byte{0x60, 0, 0, 0, 0, 0, 59, 64}, a.AsSlice()...), b.AsSlice()...)
	source, destination, ok = ippacket.Addresses(six)
	if !ok || source != a || destination != b {
		t.Errorf("IPv6: %v to %v, %v", source, destination, ok)
	}
	for n := range 40 {
		if _, _, ok := ippacket.Addresses(six[:n]); ok {
			t.Errorf("IPv6 cut to %d bytes has addresses", n)
		}
	}
	for n := range 20 {
		if _, _, ok := ippacket.Addresses(four[:n]); ok {
			t.Errorf("IPv4 cut to %d bytes has addresses", n)
		}
	}
	four[0] = 0x55
	if _, _, ok := ippacket.Addresses(four); ok {
		t.Error("version 5 has addresses")
	}
}
