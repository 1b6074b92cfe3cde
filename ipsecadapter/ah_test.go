package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// TestAHAgainstOracle has the oracle verify what every transform protected on every way.
func TestAHAgainstOracle(t *testing.T) {
	for _, transform := range AHTransforms() {
		for _, size := range []int{0, 1, 7, 64, 1400} {
			for _, w := range ahWays(size) {
				a := w.association(transform)
				number := uint64(77)
				if a.ESN {
					number = 3<<32 + 5
				}
				p := newPair(t, OutboundConfig{Association: a, First: number}, InboundConfig{Association: a})
				checkAH(t, fmt.Sprintf("%v, %s", transform, w.name), &w, newOracleAH(t, &a), p.seal(t, w.packet)[0].Content(), number)
			}
		}
	}
}

// checkAH takes AH off a packet and wants the rest to be what it was.
func checkAH(t *testing.T, name string, w *ahWay, o *oracleAH, got []byte, number uint64) {
	t.Helper()
	at, field := w.split, w.field
	if w.mode == Tunnel {
		at, field = 20, 9
		if got[0]>>4 == 6 {
			at, field = 40, 6
		}
	}
	checkLengths(t, name, got)
	if got[field] != 51 {
		t.Errorf("%s: next header %d", name, got[field])
	}
	next, size, err := o.check(got, at, number)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if w.mode == Tunnel {
		if want := map[byte]byte{4: 4, 6: 41}[w.packet[0]>>4]; next != want || !bytes.Equal(got[at+size:], w.packet) {
			t.Errorf("%s: next header %d, inner packet %x", name, next, got[at+size:])
		}
		return
	}
	again := append(bytes.Clone(got[:at]), got[at+size:]...)
	again[field] = next
	fixLengths(again)
	if !bytes.Equal(again, w.packet) {
		t.Errorf("%s:\n%x, want\n%x", name, again, w.packet)
	}
}

// checkLengths wants a right length, and a right checksum of IPv4.
func checkLengths(t *testing.T, name string, packet []byte) {
	t.Helper()
	fixed := bytes.Clone(packet)
	fixLengths(fixed)
	if !bytes.Equal(fixed, packet) {
		t.Errorf("%s: length or checksum of %x", name, packet)
	}
}

func fixLengths(packet []byte) {
	if packet[0]>>4 == 6 {
		binary.BigEndian.PutUint16(packet[4:], uint16(len(packet)-40))
		return
	}
	binary.BigEndian.PutUint16(packet[2:], uint16(len(packet)))
	fixChecksum(packet)
}

// byOracle is the packet as the oracle protects it.
func (w *ahWay) byOracle(o *oracleAH, number uint64) []byte {
	if w.mode == Transport {
		return o.put(w.packet, w.split, w.field, number)
	}
	next, at, field := byte(4), 20, 9
	if w.packet[0]>>4 == 6 {
		next = 41
	}
	if w.outer[0].Is6() {
		at, field = 40, 6
	}
	return o.put(ipPacket(w.outer[0], w.outer[1], next, w.packet), at, field, number)
}

// TestAHFromOracle opens what the oracle protected, as it arrives behind routers that changed
// all that they may.
func TestAHFromOracle(t *testing.T) {
	for _, transform := range AHTransforms() {
		for _, size := range []int{0, 1, 7, 64, 1400} {
			for _, w := range ahWays(size) {
				a := w.association(transform)
				p := pairOf(t, a)
				wire := travelled(w.byOracle(newOracleAH(t, &a), 1))
				d := p.open(append(wire, 0, 0, 0)) // and a link that pads
				if want := travelledBack(&w); d.Drop != record.DropNone || !bytes.Equal(d.Content(), want) {
					t.Errorf("%v, %s: %v\n%x, want\n%x", transform, w.name, d.Drop, d.Content(), want)
				}
			}
		}
	}
}

// travelled changes a packet's TTL, DSCP and ECN, and the IPv6 flow label.
func travelled(packet []byte) []byte {
	b := bytes.Clone(packet)
	if b[0]>>4 == 6 {
		b[0], b[1], b[2], b[3] = 0x6a, 0xa0, 0x12, 0x34
		b[7] -= 3
		return b
	}
	b[1], b[8] = 0xaa, b[8]-3
	fixChecksum(b)
	return b
}

func travelledBack(w *ahWay) []byte {
	if w.mode == Transport {
		return travelled(w.packet)
	}
	return w.packet
}

// TestAHCoversTheRest flips every bit in turn, and wants those that AH covers to be noticed
// and the others not.
func TestAHCoversTheRest(t *testing.T) {
	for _, transform := range []Transform{EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256), AES128GMAC} {
		for _, w := range ahWays(5) {
			a := w.association(transform)
			o := newOracleAH(t, &a)
			good := w.byOracle(o, 1)
			at := bytes.Index(good, []byte{0xa4, 0xa4, 0xa4, 0xa4}) - 4
			for i := range 8 * len(good) {
				bad := bytes.Clone(good)
				bad[i/8] ^= 1 << (i % 8)
				if structural(bad, good, i/8, at) {
					continue
				}
				if bad[0]>>4 == 4 {
					fixChecksum(bad)
				}
				covered := !bytes.Equal(immutable(bad[:at]), immutable(good[:at])) || i/8 >= at
				d := pairOf(t, a).open(bad)
				if want := (d.Drop == record.DropUnauthentic); want != covered {
					t.Errorf("%v, %s: bit %d of byte %d: %v", transform, w.name, i%8, i/8, d.Drop)
				}
			}
		}
	}
}

// structural reports that the byte says how the packet is to be read, so that a change of it
// is found before the ICV is.
func structural(bad, good []byte, at, ah int) bool {
	v6 := good[0]>>4 == 6
	switch {
	case at >= ah:
		at -= ah
		return at == 1 || at >= 4 && at < 12
	case v6:
		return at == 0 && bad[0]>>4 != 6 || at >= 4 && at <= 6 || at >= 40
	}
	return at == 0 || at >= 2 && at <= 3 || at >= 6 && at <= 7 || at >= 9 && at < 12 || at >= 20
}

// TestAHInboundCauses has one thing wrong at a time.
func TestAHInboundCauses(t *testing.T) {
	sha256 := EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256)
	for _, c := range []struct {
		name   string
		change func(b []byte) []byte // behind 20 bytes of IP
		want   record.Drop
	}{
		{"nothing", func(b []byte) []byte { return b }, record.DropNone},
		{"no room for AH", shortened(11), record.DropTruncated},
		{"length field too small", func(b []byte) []byte { b[21]--; return b }, record.DropMalformed},
		{"length field too large", func(b []byte) []byte { b[21]++; return b }, record.DropMalformed},
		{"length field past the packet", shortened(24), record.DropTruncated},
		{"length field of 255", func(b []byte) []byte { b[21] = 255; return b }, record.DropMalformed},
		{"unknown SPI", func(b []byte) []byte { b[24] ^= 1; return b }, record.DropUnknownSession},
		{"sequence number 0", func(b []byte) []byte { clear(b[28:32]); return b }, record.DropTooOld},
		{"another sequence number", func(b []byte) []byte { b[31]++; return b }, record.DropUnauthentic},
		{"a flipped ICV", func(b []byte) []byte { b[40] ^= 1; return b }, record.DropUnauthentic},
		{"reserved bits", func(b []byte) []byte { b[22] ^= 1; return b }, record.DropUnauthentic},
		{"another source", fixed(func(b []byte) { b[15] ^= 1 }), record.DropUnauthentic},
		{"another identification", fixed(func(b []byte) { b[4] ^= 1 }), record.DropUnauthentic},
		{"another next header", func(b []byte) []byte { b[20] = 41; return b }, record.DropUnauthentic},
		{"a flipped payload", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, record.DropUnauthentic},
		{"shorter than it was", func(b []byte) []byte { return shortened(len(b) - 21)(b) }, record.DropUnauthentic},
		{"a fragment", fixed(func(b []byte) { b[6] = 0x20 }), record.DropFragment},
	} {
		a := association4(sha256)
		a.Protocol = AH
		p := pairOf(t, a)
		sealed := p.seal(t, udpPacket(host4[0], host4[1], pattern(40)), udpPacket(host4[0], host4[1], pattern(8)))
		bad := c.change(bytes.Clone(sealed[0].Content()))
		burst := []record.Datagram{datagram(bad, 3, 3), datagram(sealed[1].Content(), 3, 3)}
		p.in.Unprotect(burst, nil)
		if burst[0].Drop != c.want || burst[1].Drop != record.DropNone {
			t.Errorf("%s: %v, want %v", c.name, causes(burst), c.want)
		}
		wantCounted(t, c.name, p.in.Stats(), c.want)
	}
}

// TestAHInnerCauses has a peer with the key send what a tunnel may not carry.
func TestAHInnerCauses(t *testing.T) {
	v4, v6 := udpPacket(host4[0], host4[1], pattern(20)), udpPacket(host6[0], host6[1], pattern(20))
	for _, c := range []struct {
		name    string
		payload []byte
		next    byte
		want    record.Drop
	}{
		{"IPv4", v4, 4, record.DropNone},
		{"IPv6", v6, 41, record.DropNone},
		{"UDP in a tunnel", v4[20:], 17, record.DropType},
		{"no next header", v4, 59, record.DropType},
		{"IPv6 as IPv4", v6, 4, record.DropMalformed},
		{"inner packet cut short", v4[:len(v4)-1], 4, record.DropTruncated},
		{"nothing as IPv4", nil, 4, record.DropTruncated},
	} {
		a := association4(AES256GMAC)
		a.Protocol = AH
		wire := newOracleAH(t, &a).put(ipPacket(gateway4[0], gateway4[1], c.next, c.payload), 20, 9, 1)
		p := pairOf(t, a)
		if d := p.open(wire); d.Drop != c.want {
			t.Errorf("%s: %v, want %v", c.name, d.Drop, c.want)
		}
		wantCounted(t, c.name, p.in.Stats(), c.want)
	}
}

// TestAHSourceRoutes protects packets that have stops before them, as the last stop sees them
// (RFC 4302 appendix A1 and A2).
func TestAHSourceRoutes(t *testing.T) {
	v4 := udpPacket(host4[0], host4[1], pattern(9))
	for _, kind := range []byte{131, 137} { // stops at .5 and then at .6
		here := withOptions(v4, []byte{kind, 11, 4, 10, 2, 0, 5, 10, 2, 0, 6, 0})
		there := withOptions(v4, []byte{kind, 11, 12, 10, 2, 0, 9, 10, 2, 0, 5, 0})
		there[19] = 6
		fixChecksum(there)
		protectedAsSeen(t, here, there, 32, 9)
	}
	v6 := udpPacket(host6[0], host6[1], pattern(9))
	stops := func(order ...byte) (all []byte) {
		for _, last := range order {
			stop := host6[1].As16()
			stop[15] = last
			all = append(all, stop[:]...)
		}
		return all
	}
	for _, c := range []struct {
		kind              byte
		left              byte
		before, after     []byte
		first, atLastStop byte
	}{
		{0, 3, stops(1, 2, 3), stops(9, 1, 2), 9, 3}, {0, 1, stops(1, 2, 3), stops(1, 2, 9), 9, 3}, {2, 1, stops(7), stops(9), 9, 7},
	} {
		here, at, field := withChain(v6, extension{43, append([]byte{byte(len(c.before) / 8), c.kind, c.left, 0, 0, 0, 0}, c.before...)})
		there, _, _ := withChain(v6, extension{43, append([]byte{byte(len(c.after) / 8), c.kind, 0, 0, 0, 0, 0}, c.after...)})
		here[39], there[39] = c.first, c.atLastStop
		protectedAsSeen(t, here, there, at, field)
	}
}

// protectedAsSeen wants here's ICV to be there's.
func protectedAsSeen(t *testing.T, here, there []byte, at, field int) {
	t.Helper()
	for _, transform := range AHTransforms() {
		a := Association{Protocol: AH, SPI: 4711, Transform: transform, Key: keyOf(transform), Mode: Transport}
		p := pairOf(t, a)
		sealed := p.seal(t, here)[0].Content()
		s := transform.traits()
		size := s.ahSize(here[0]>>4 == 6)
		if again := append(bytes.Clone(sealed[:at]), sealed[at+size:]...); sealed[field] != 51 || !bytes.Equal(again[20:at], here[20:at]) && field == 9 {
			t.Errorf("%v: headers changed to %x", transform, again[:at])
		}
		arrived := append(bytes.Clone(there[:at]), sealed[at:]...)
		arrived[field] = 51
		fixLengths(arrived)
		if d := p.open(arrived); d.Drop != record.DropNone || !bytes.Equal(d.Content(), there) {
			t.Errorf("%v: at the last stop %v:\n%x, want\n%x", transform, d.Drop, d.Content(), there)
		}
	}
}

// TestAHBadHeaders refuses to protect headers that cannot be read.
func TestAHBadHeaders(t *testing.T) {
	v4, v6 := udpPacket(host4[0], host4[1], pattern(9)), udpPacket(host6[0], host6[1], pattern(9))
	chain := func(x extension) []byte { packet, _, _ := withChain(v6, x); return packet }
	for name, c := range map[string]struct {
		packet []byte
		want   record.Drop
	}{
		"option of length 0":          {withOptions(v4, []byte{7, 0, 0, 0}), record.DropMalformed},
		"option of length 1":          {withOptions(v4, []byte{148, 1, 0, 0}), record.DropMalformed},
		"option past the header":      {withOptions(v4, []byte{7, 5, 0, 0}), record.DropMalformed},
		"option without a length":     {withOptions(v4, []byte{1, 1, 1, 7}), record.DropMalformed},
		"IPv6 option past its header": {chain(extension{0, []byte{0, 5, 5, 0, 0, 0, 0}}), record.DropMalformed},
		"IPv6 option without length":  {chain(extension{0, []byte{0, 1, 3, 0, 0, 0, 5}}), record.DropMalformed},
		"more stops than addresses":   {chain(extension{43, append([]byte{2, 0, 2, 0, 0, 0, 0}, make([]byte, 16)...)}), record.DropMalformed},
		"half an address":             {chain(extension{43, append([]byte{3, 0, 1, 0, 0, 0, 0}, make([]byte, 24)...)}), record.DropMalformed},
		"a route of unknown type":     {chain(extension{43, append([]byte{2, 4, 1, 0, 0, 0, 0}, make([]byte, 16)...)}), record.DropType},
	} {
		a := Association{Protocol: AH, SPI: 4711, Transform: AES128GMAC, Key: keyOf(AES128GMAC), Mode: Transport}
		p := pairOf(t, a)
		if c.packet[0]>>4 == 4 {
			c.packet[10] ^= 0xff // what was wrong stays so
		}
		burst, by := p.burst(c.packet, v4)
		before := bytes.Clone(burst[0].Content())
		p.out.Protect(burst, by)
		if burst[0].Drop != c.want || burst[1].Drop != record.DropNone || !bytes.Equal(burst[0].Content(), before) {
			t.Errorf("%s: %v, want %v", name, causes(burst), c.want)
		}
		wantCounted(t, name, p.out.Stats(), c.want)
	}
}
