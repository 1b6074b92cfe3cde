package ipsecadapter

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

func TestRefusedOutbound(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*OutboundConfig)
	}{
		{"Transform", func(c *OutboundConfig) { c.Transform = 0 }},
		{"Transform", func(c *OutboundConfig) { c.Transform = numTransforms }},
		{"Key", func(c *OutboundConfig) { c.Key = c.Key[1:] }},
		{"Key", func(c *OutboundConfig) { c.Key = append(c.Key, 0) }},
		{"Mode", func(c *OutboundConfig) { c.Mode = 0 }},
		{"Mode", func(c *OutboundConfig) { c.Mode = 3 }},
		{"Carrier", func(c *OutboundConfig) { c.Carrier = 3 }},
		{"Carrier", func(c *OutboundConfig) { c.Carrier, c.Mode = InSocket, Transport }},
		{"Source", func(c *OutboundConfig) { c.Source = netip.Addr{} }},
		{"Source", func(c *OutboundConfig) { c.Destination = netip.Addr{} }},
		{"Source", func(c *OutboundConfig) { c.Source = netip.MustParseAddr("::ffff:192.0.2.1") }},
		{"Destination", func(c *OutboundConfig) { c.Destination = gateway6[1] }},
		{"Destination", func(c *OutboundConfig) { c.Destination = netip.MustParseAddr("fe80::1%eth0") }},
		{"DSCP", func(c *OutboundConfig) { c.FixedDSCP, c.DSCP = true, 64 }},
		{"DSCP", func(c *OutboundConfig) { c.DSCP = 1 }},
		{"DF", func(c *OutboundConfig) { c.DF = 3 }},
		{"PadTo", func(c *OutboundConfig) { c.PadTo = -1 }},
		{"PadTo", func(c *OutboundConfig) { c.PadTo, c.Mode = 100, Transport }},
		{"PadTo", func(c *OutboundConfig) { c.PadTo, c.Protocol, c.Transform = 100, AH, AES128GMAC }},
		{"Protocol", func(c *OutboundConfig) { c.Protocol = 2 }},
		{"Transform", func(c *OutboundConfig) { c.Protocol = AH }},
		{"Transform", func(c *OutboundConfig) { c.Transform = sha256Alone }},
		{"Transform", func(c *OutboundConfig) { c.Protocol, c.Transform = AH, aesSHA256 }},
		{"Carrier", func(c *OutboundConfig) { c.Protocol, c.Transform, c.Carrier = AH, AES128GMAC, InUDP }},
		{"Carrier", func(c *OutboundConfig) { c.Protocol, c.Transform, c.Carrier = AH, AES128GMAC, InSocket }},
		{"PathMTU", func(c *OutboundConfig) { c.PathMTU = 67 }},
		{"PathMTU", func(c *OutboundConfig) { c.PathMTU = 1 << 16 }},
		{"Lifetime.SoftBytes", func(c *OutboundConfig) { c.Lifetime = Lifetime{SoftBytes: 2, HardBytes: 1} }},
		{"Lifetime.SoftPackets", func(c *OutboundConfig) { c.Lifetime = Lifetime{SoftPackets: 2, HardPackets: 1} }},
		{"Lifetime.SoftTime", func(c *OutboundConfig) { c.Lifetime = Lifetime{SoftTime: -time.Second} }},
	} {
		o := OutboundConfig{Association: association4(AES128GCM16)}
		c.change(&o)
		_, err := NewOutboundSA(newEngine(t), o)
		wantField(t, err, c.field)
	}
}

func TestRefusedInbound(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*InboundConfig)
	}{
		{"Key", func(c *InboundConfig) { c.Key = nil }},
		{"NoReplay", func(c *InboundConfig) { c.ESN, c.NoReplay = true, true }},
		{"Match", func(c *InboundConfig) { c.Match = 3 }},
		{"Destination", func(c *InboundConfig) { c.Match, c.Destination = ByAddress, netip.Addr{} }},
		{"Destination", func(c *InboundConfig) { c.Match, c.Carrier = ByAddress, InSocket }},
		{"Source", func(c *InboundConfig) { c.Match, c.Source = ByAddresses, netip.Addr{} }},
		{"Selectors", func(c *InboundConfig) { c.Selectors = []Selector{{Protocol: 17, SourcePorts: PortRange{9, 8}}} }},
		{"Selectors", func(c *InboundConfig) { c.Selectors = []Selector{{DestinationPorts: PortRange{1, 8}}} }},
		{"OriginalSource", func(c *InboundConfig) { c.OriginalSource, c.OriginalDestination = host4[0], host4[1] }},
		{"OriginalSource", func(c *InboundConfig) { c.Mode, c.Carrier, c.OriginalSource = Transport, InUDP, host4[0] }},
		{"OriginalSource", func(c *InboundConfig) {
			c.Mode, c.Carrier, c.OriginalSource, c.OriginalDestination = Transport, InUDP, host4[0], host6[1]
		}},
		{"Lifetime.SoftTime", func(c *InboundConfig) { c.Lifetime = Lifetime{SoftTime: 2, HardTime: 1} }},
	} {
		i := InboundConfig{Association: association4(AES128GCM16)}
		c.change(&i)
		_, err := NewInboundSA(newEngine(t), i)
		wantField(t, err, c.field)
	}
}

// TestRefusedNumbers has numbers and windows that there are not. The errors are this package's
// own, and begin with its name alone.
func TestRefusedNumbers(t *testing.T) {
	a := association4(AES128GCM16)
	_, err := NewOutboundSA(newEngine(t), OutboundConfig{Association: a, First: 1 << 32})
	wantText(t, err, "ipsecadapter: First: 4294967296 has more than 32 bits, without ESN")
	_, err = NewInboundSA(newEngine(t), InboundConfig{Association: a, First: 1 << 32})
	wantText(t, err, "ipsecadapter: First: 4294967296 has more than 32 bits, without ESN")
	_, err = NewInboundSA(newEngine(t), InboundConfig{Association: a, Window: -1})
	wantText(t, err, "ipsecadapter: Window: -1 is not 0 to 8192")
	_, err = NewInboundSA(newEngine(t), InboundConfig{Association: a, Window: 9000})
	wantText(t, err, "ipsecadapter: Window: 9000 is not 0 to 8192")
	_, err = NewInboundSA(newEngine(t), InboundConfig{Association: a, Window: 64, NoReplay: true})
	wantText(t, err, "ipsecadapter: Window: 64 with NoReplay")
	sa, err := NewInboundSA(newEngine(t), InboundConfig{Association: a, Window: 63})
	must(t, err)
	if sa.Window() != 64 {
		t.Errorf("a window for 63 remembers %d", sa.Window())
	}
	sa.Close()
}

func wantText(t *testing.T, err error, want string) {
	t.Helper()
	if !errors.Is(err, ErrConfig) || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestAnotherEngine has an SA's packets go through sides of another engine.
func TestAnotherEngine(t *testing.T) {
	other, err := engine.New(engine.Config{})
	must(t, err)
	defer other.Close()
	p := pairOf(t, association4(AES128GCM16))
	burst := p.seal(t, udpPacket(host4[0], host4[1], nil))
	NewInbound(other, p.db, InboundOptions{}).Unprotect(burst, nil)
	plain := []record.Datagram{{Buf: make([]byte, 200), Off: 100, Len: 40}}
	copy(plain[0].Content(), udpPacket(host4[0], host4[1], make([]byte, 12)))
	NewOutbound(other).ProtectUnder(plain, p.sender)
	if burst[0].Drop != record.DropFailed || plain[0].Drop != record.DropFailed {
		t.Errorf("opened %v, sealed %v", burst[0].Drop, plain[0].Drop)
	}
}

// TestMissing gives what is nil to everything that returns an error for it.
func TestMissing(t *testing.T) {
	a := association4(AES128GCM16)
	_, err := NewOutboundSA(nil, OutboundConfig{Association: a})
	wantField(t, err, "Engine")
	_, err = NewInboundSA(nil, InboundConfig{Association: a})
	wantField(t, err, "Engine")
	db := NewDatabase()
	wantField(t, db.Add(nil), "SA")
	if db.Remove(nil) || db.Len() != 0 {
		t.Error("no SA was known")
	}
}

func TestTransformNames(t *testing.T) {
	for _, transform := range Transforms() {
		if got, err := ParseTransform(transform.String()); err != nil || got != transform {
			t.Errorf("%v parses as %v, %v", transform, got, err)
		}
	}
	if Transform(0).Valid() || numTransforms.Valid() || Transform(0).KeySize() != 0 {
		t.Error("a transform that is none passes for one")
	}
}

// TestTransformNumbers holds a few of the numbers of IANA's registry.
func TestTransformNumbers(t *testing.T) {
	for transform, want := range map[Transform][3]int{ // number, Key Length, bytes of key material
		AES128GCM16: {20, 128, 20}, AES256GCM8: {18, 256, 36}, AES192GCM12: {19, 192, 28}, AES128CCM8: {14, 128, 19},
		AES256CCM16: {16, 256, 35}, AES128GMAC: {21, 128, 20}, ChaCha20Poly1305: {28, 0, 36}, AES256GCM16IIV: {30, 256, 36},
		ChaCha20Poly1305IIV: {31, 0, 36}, AES128CCM8IIV: {29, 128, 19}, AES256CCM8IIV: {29, 256, 35},
	} {
		got := [3]int{int(transform.EncryptionID()), transform.KeyBits(), transform.KeySize()}
		if got != want {
			t.Errorf("%v: %v, want %v", transform, got, want)
		}
	}
}
