package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// sent is a datagram as a peer, or somebody on the way, may send it.
type sent struct {
	datagram  record.Datagram
	want      record.Drop
	inside    []byte // what is delivered
	authentic bool   // and fresh, whatever it carries
	sa        *InboundSA
	body      int // length of payload, padding and trailer
}

// writer sends packets of one SA, sealed by the oracle.
type writer struct {
	*oracle
	sa     *InboundSA
	a      Association
	number uint64
	made   []byte // the ESP packet that was made last
	last   []byte // the last one that is authentic and was fresh
}

// wrap puts an ESP packet where the SA's travel, in a buffer with room.
func (w *writer) wrap(esp []byte, tos byte) record.Datagram {
	if w.a.Carrier != InSocket {
		esp = withTOS(outerPacket(gateway4[0], gateway4[1], false, esp), tos)
	}
	return datagram(esp, 5, 3)
}

// next seals a body under the next number.
func (w *writer) next(payload []byte, next byte, more int) []byte {
	w.number++
	w.made = w.esp(w.number, w.number, payload, next, more)
	return w.made
}

// kinds make what may arrive. What has its own cause must not touch its neighbours.
var kinds = []func(w *writer, inner []byte) sent{
	func(w *writer, inner []byte) sent { // good, with padding of any length
		return sent{w.wrap(w.next(inner, versionOf(inner), len(inner)%20), 0), record.DropNone, inner, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // padded to hide its length
		return sent{w.wrap(w.next(append(bytes.Clone(inner), pattern(30)...), versionOf(inner), 0), 0), record.DropNone, inner, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(inner, 59, 0), 0), record.DropDummy, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(inner, 17, 0), 0), record.DropType, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(inner, versionOf(inner)^4^41, 0), 0), record.DropMalformed, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(inner[:len(inner)-1], versionOf(inner), 0), 0), record.DropTruncated, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // wrong padding
		w.number++
		body := append(bytes.Clone(inner), make([]byte, (w.align-(len(inner)+6)%w.align)%w.align)...)
		w.made = w.raw(w.number, w.number, append(body, 1, 2, 3, 3, 4, versionOf(inner)))
		return sent{w.wrap(w.made, 0), record.DropMalformed, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // forged
		esp := bytes.Clone(w.next(inner, versionOf(inner), 0))
		esp[len(esp)-1] ^= 1
		return sent{w.wrap(esp, 0), record.DropUnauthentic, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // a replay
		if w.last == nil {
			return sent{w.wrap(w.next(inner, versionOf(inner), 0), 0), record.DropNone, inner, true, w.sa, 0}
		}
		return sent{w.wrap(w.last, 0), record.DropReplayed, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		if w.esn { // the low half of a number
			return sent{w.wrap(w.next(inner, versionOf(inner), 0), 0), record.DropNone, inner, true, w.sa, 0}
		}
		return sent{w.wrap(w.esp(0, 0, inner, versionOf(inner), 0), 0), record.DropTooOld, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(inner, versionOf(inner), 0)[:9], 0), record.DropTruncated, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // no trailer
		return sent{w.wrap(w.next(inner, versionOf(inner), 0)[:w.sa.overhead], 0), record.DropTruncated, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // no whole words
		return sent{w.wrap(append(bytes.Clone(w.next(inner, versionOf(inner), 0)), 1), 0), record.DropMalformed, nil, false, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // an inner packet shorter than its header
		inner = bytes.Clone(inner)
		want := record.DropMalformed
		if inner[0]>>4 == 4 {
			inner[2], inner[3] = 0, 19
		} else {
			inner[4], want = 0x7f, record.DropTruncated
		}
		return sent{w.wrap(w.next(inner, versionOf(inner), 0), 0), want, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		esp := bytes.Clone(w.next(inner, versionOf(inner), 0))
		esp[3] ^= 0x80
		return sent{w.wrap(esp, 0), record.DropUnknownSession, nil, false, nil, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{record.Datagram{Buf: w.next(inner, versionOf(inner), 0), Off: 3, Len: 1 << 20}, record.DropFailed, nil, false, nil, 0}
	},
	func(w *writer, inner []byte) sent {
		d := w.wrap(w.next(inner, versionOf(inner), 0), 0)
		d.Drop = record.DropQueueFull
		return sent{d, record.DropQueueFull, nil, false, nil, 0}
	},
}

// onlyInIP are those that need an outer header. The inner packet is of IPv4.
var onlyInIP = []func(w *writer, inner []byte) sent{
	func(w *writer, inner []byte) sent { // congestion that nobody understands
		return sent{w.wrap(w.next(withTOS(inner, 0xb8), 4, 0), 3), record.DropCongestion, nil, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(withTOS(inner, 0xba), 4, 0), 3), record.DropNone, withTOS(inner, 0xbb), true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(withTOS(inner, 2), 4, 0), 0xb9), record.DropNone, withTOS(inner, 1), true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		return sent{w.wrap(w.next(withTOS(inner, 1), 4, 0), 2), record.DropNone, withTOS(inner, 1), true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		d := w.wrap(w.next(inner, 4, 0), 0)
		d.Buf[d.Off+11]++
		return sent{d, record.DropMalformed, nil, false, nil, 0}
	},
	func(w *writer, inner []byte) sent {
		packet := outerPacket(gateway4[0], gateway4[1], false, w.next(inner, 4, 0))
		packet[6] = 0x20
		fixChecksum(packet)
		return sent{datagram(packet, 5, 3), record.DropFragment, nil, false, nil, 0}
	},
	func(w *writer, inner []byte) sent { // cut short
		d := w.wrap(w.next(inner, 4, 0), 0)
		d.Len--
		return sent{d, record.DropTruncated, nil, false, nil, 0}
	},
	func(w *writer, inner []byte) sent { // options, from elsewhere
		packet := outerPacket(gateway4[1], host4[0], false, w.next(inner, 4, 0))
		return sent{datagram(withOptions(packet, []byte{1, 1, 1, 0}), 5, 3), record.DropNone, inner, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent { // from elsewhere, behind what a link pads
		packet := outerPacket(gateway4[1], host4[0], false, w.next(inner, 4, 0))
		return sent{datagram(append(packet, 9, 9), 5, 3), record.DropNone, inner, true, w.sa, 0}
	},
	func(w *writer, inner []byte) sent {
		other := ipPacket(host4[0], netip.MustParseAddr("10.99.0.1"), 17, pattern(30))
		s := sent{w.wrap(w.next(other, 4, 0), 0), record.DropNone, other, true, w.sa, 0}
		if w.sa.selectors != nil {
			s.want, s.inside = record.DropSelector, nil
		}
		return s
	},
}

func versionOf(packet []byte) byte {
	if packet[0]>>4 == 6 {
		return 41
	}
	return 4
}

// TestRunsOfAnything opens random bursts of all kinds under several SAs, among mostly good
// packets and among others, and knows of each packet what becomes of it.
func TestRunsOfAnything(t *testing.T) {
	for i, transform := range []Transform{AES128GCM16, AES128GMAC, ChaCha20Poly1305IIV, AES256CCM8IIV, AES128CCM12, aesSHA256,
		EncryptThenMAC(ciphers.AES128CTR, ciphers.HMACSHA512)} {
		for _, carrier := range []Carrier{InIP, InSocket} {
			for _, esn := range []bool{false, true} {
				t.Run(fmt.Sprint(transform, carrier, esn), func(t *testing.T) {
					a := association4(transform)
					a.Carrier, a.ESN = carrier, esn
					anything(t, a, rand.New(rand.NewPCG(uint64(i), uint64(carrier))))
				})
			}
		}
	}
}

func anything(t *testing.T, a Association, rng *rand.Rand) {
	in, writers := receivers(t, a)
	for range 40 {
		var burst []record.Datagram
		var all []sent
		for range 1 + rng.IntN(100) {
			w := writers[0]
			if rng.IntN(4) == 0 {
				w = writers[rng.IntN(len(writers))]
			}
			hosts := host4
			kind := kinds[0]
			switch n := rng.IntN(50); {
			case n < len(kinds):
				kind = kinds[n]
			case n < len(kinds)+len(onlyInIP) && a.Carrier == InIP:
				kind = onlyInIP[n-len(kinds)]
			case n > 46:
				hosts = host6
			}
			s := kind(w, udpPacket(hosts[0], hosts[1], pattern(rng.IntN(120))))
			if s.authentic {
				w.last, s.body = w.made, len(w.made)-w.sa.overhead
			}
			all, burst = append(all, s), append(burst, s.datagram)
		}
		received(t, in, burst, all, make([]*InboundSA, len(burst)-rng.IntN(2)))
	}
}

// receivers are three SAs with the window of a long burst, of which one has selectors.
func receivers(t *testing.T, a Association) (*Inbound, []*writer) {
	db, writers := NewDatabase(), []*writer(nil)
	for i := range 3 {
		a.SPI++
		w := &writer{oracle: newOracle(t, &a), a: a}
		if a.ESN { // across 2^32
			w.number = 1<<32 - 100
		}
		var err error
		c := InboundConfig{Association: a, Window: 256, First: w.number}
		if i == 1 {
			c.Selectors = []Selector{{Destination: prefix("10.2.0.0/16")}, {Destination: prefix("fd00:2::/32")}}
		}
		w.sa, err = NewInboundSA(newEngine(t), c)
		must(t, err)
		must(t, db.Add(w.sa))
		writers = append(writers, w)
	}
	return NewInbound(newEngine(t), db, InboundOptions{Socket: a.Carrier == InSocket}), writers
}

// received opens a burst and compares with what is known of it.
func received(t *testing.T, in *Inbound, burst []record.Datagram, all []sent, by []*InboundSA) {
	t.Helper()
	before, sas := in.Stats(), map[*InboundSA]SAStats{}
	for i := range all {
		if sa := all[i].sa; sa != nil {
			sas[sa] = sa.Stats()
		}
	}
	want, done := before, 0
	in.Unprotect(burst, by)
	for i := range all {
		s, d := &all[i], &burst[i]
		if d.Drop != s.want || s.inside != nil && !bytes.Equal(d.Content(), s.inside) {
			t.Fatalf("packet %d of %d: %v, want %v: %x, want %x", i, len(all), d.Drop, s.want, d.Content(), s.inside)
		}
		if i < len(by) && by[i] != s.sa && d.Drop != record.DropFailed {
			t.Errorf("packet %d: another SA", i)
		}
		if s.want == record.DropNone {
			done++
			want.Bytes += uint64(d.Len)
		} else if s.want != record.DropQueueFull {
			want.Drops[s.want]++
		}
		if s.authentic {
			stats := sas[s.sa]
			stats.Packets++
			stats.Bytes += uint64(s.body)
			sas[s.sa] = stats
		}
	}
	got := in.Stats()
	want.Packets += uint64(done)
	if want.Bursts = got.Bursts; got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	for sa, want := range sas {
		if sa.Stats() != want {
			t.Errorf("an SA counts %+v, want %+v", sa.Stats(), want)
		}
	}
}

// TestQuickOpeningIsTaken counts that most packets go the quick way, and that what is unusual
// among them does not stop it.
func TestQuickOpeningIsTaken(t *testing.T) {
	for _, carrier := range []Carrier{InIP, InSocket} {
		a := association4(AES128GCM16)
		a.Carrier = carrier
		p := pairOf(t, a)
		packet := udpPacket(host4[0], host4[1], pattern(40))
		burst := p.seal(t, packet, packet, packet, packet, packet)
		binary.BigEndian.PutUint32(burst[2].Buf[burst[2].Off+map[Carrier]int{InIP: 24, InSocket: 4}[carrier]:], 0) // its number
		s := new(opening)
		if n := p.in.admit(s, burst, nil); n != len(burst) {
			t.Fatalf("%d admitted: %v", n, causes(burst))
		}
		var got []string
		for _, r := range s.runs[:s.inRuns] {
			got = append(got, fmt.Sprint(r.quick, r.position, r.place, r.n))
		}
		if want := "[true 0 0 2 false 2 2 1 true 3 3 2]"; fmt.Sprint(got) != want {
			t.Errorf("runs %v, want %v", got, want)
		}
		if s.turns != 1 {
			t.Errorf("%d turns of one SA", s.turns)
		}
	}
}

// TestMostPacketsComeTheQuickestWay counts which SAs' do, and that what is unusual ends it.
func TestMostPacketsComeTheQuickestWay(t *testing.T) {
	for _, c := range []struct {
		change func(*Association)
		simple bool
	}{
		{func(*Association) {}, true},
		{func(a *Association) { a.ESN = true }, false},
		{func(a *Association) { a.Carrier = InSocket }, false},
		{func(a *Association) { a.Carrier = InUDP }, false},
		{func(a *Association) { a.Transform, a.Key = AES128GMAC, keyOf(AES128GMAC) }, false},
		{func(a *Association) { a.Transform, a.Key = AES128GCM16IIV, keyOf(AES128GCM16IIV) }, false},
		{func(a *Association) { a.Transform, a.Key = aesSHA256, keyOf(aesSHA256) }, false},
	} {
		a := association4(AES128GCM16)
		c.change(&a)
		if sa := pairOf(t, a).receiver; sa.simple != c.simple {
			t.Errorf("%+v: simple is %v", a, sa.simple)
		}
	}
	p := pairOf(t, association4(AES128GCM16))
	good := udpPacket(host4[0], host4[1], pattern(40))
	fresh := p.seal(t, good, good, good, good)
	addresses := binary.BigEndian.Uint64(fresh[0].Content()[12:])
	for name, c := range map[string]struct {
		n     int
		spoil func(burst []record.Datagram, packets []engine.Packet)
	}{
		"usual":             {4, func([]record.Datagram, []engine.Packet) {}},
		"a cause":           {1, func(b []record.Datagram, _ []engine.Packet) { b[1].Drop = record.DropType }},
		"another SA before": {2, func(_ []record.Datagram, p []engine.Packet) { p[2].Key = nil }},
		"cut short":         {3, func(b []record.Datagram, _ []engine.Packet) { b[3].Len-- }},
		"nothing":           {1, func(b []record.Datagram, _ []engine.Packet) { b[1].Len = plainSize - 1 }},
		"outside":           {1, func(b []record.Datagram, _ []engine.Packet) { b[1].Off = len(b[1].Buf) - b[1].Len + 1 }},
		"before":            {1, func(b []record.Datagram, _ []engine.Packet) { b[1].Off = -1 }},
		"another SPI":       {2, func(b []record.Datagram, _ []engine.Packet) { b[2].Content()[20] ^= 1 }},
		"no number":         {0, func(b []record.Datagram, _ []engine.Packet) { clear(b[0].Content()[24:28]) }},
		"from elsewhere":    {2, func(b []record.Datagram, _ []engine.Packet) { b[2].Content()[15] ^= 1 }},
		"a wrong checksum":  {2, func(b []record.Datagram, _ []engine.Packet) { b[2].Content()[8] ^= 1 }},
	} {
		burst, packets := make([]record.Datagram, len(fresh)), make([]engine.Packet, len(fresh))
		for i, d := range fresh {
			burst[i] = record.Datagram{Buf: bytes.Clone(d.Buf), Off: d.Off, Len: d.Len}
			packets[i].Key = p.receiver.key
		}
		c.spoil(burst, packets)
		arrivals, bodies := make([]record.Arrival, len(burst)), make([]uint16, len(burst))
		n, used, _ := p.receiver.admitMany(burst, packets, arrivals, bodies, addresses)
		if n != c.n || used != n*72 {
			t.Errorf("%s: %d admitted, of %d bytes", name, n, used)
		}
		for i := range n {
			if arrivals[i].Number != uint64(i+1) || bodies[i] != 72 || packets[i].Len != 72+16 || len(packets[i].Buf) != burst[i].Len-ipv4Size {
				t.Errorf("%s: %d: %+v, %d, %+v", name, i, arrivals[i], bodies[i], packets[i])
			}
		}
	}
}

// TestWordsSayWhatBytesDo compares the checks in words with those byte by byte.
func TestWordsSayWhatBytesDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	right := 0
	for range 200_000 {
		var b [8]byte
		n := rng.IntN(10)
		for i := range b {
			b[i] = byte(i - 6 + n + 1 - max(0, n-6))
		}
		b[6], b[7] = byte(n), byte(rng.Uint32())
		if rng.IntN(2) == 0 {
			b[rng.IntN(7)] ^= 1 << rng.IntN(8)
		}
		n = int(b[6])
		want := n <= 6
		for i := range min(n, 6) {
			want = want && b[6-n+i] == byte(i+1)
		}
		if got := isShortPadding(binary.BigEndian.Uint64(b[:])>>16, n); got != want {
			t.Fatalf("%x: %v", b, got)
		}
		if want {
			right++
		}
		header := ipPacket(host4[0], host4[1], byte(rng.Uint32()), make([]byte, rng.IntN(1400)))[:20]
		if rng.IntN(2) == 0 {
			header[rng.IntN(20)] ^= byte(rng.Uint32())
		}
		words := [3]uint64{binary.BigEndian.Uint64(header), binary.BigEndian.Uint64(header[8:]), uint64(binary.BigEndian.Uint32(header[16:]))}
		if rightWords(words[0], words[1], words[2]) != (slowChecksum(header) == 0) {
			t.Fatalf("header %x", header)
		}
	}
	if right < 50_000 {
		t.Errorf("only %d were right", right)
	}
}

// TestEitherPort opens what is for another port, or from one, as the options say.
func TestEitherPort(t *testing.T) {
	a := association4(AES128GCM16)
	a.Carrier = InUDP
	for _, c := range []struct {
		from, to uint16
		either   bool
		want     record.Drop
	}{
		{4500, 61001, false, record.DropType}, {4500, 61001, true, record.DropNone}, {61001, 4500, true, record.DropNone},
		{61001, 4500, false, record.DropNone}, {61001, 61002, true, record.DropType}, {4500, 4500, true, record.DropNone},
	} {
		p := newPair(t, OutboundConfig{Association: a, SourcePort: c.from, DestinationPort: c.to}, InboundConfig{Association: a})
		in := NewInbound(newEngine(t), p.db, InboundOptions{EitherPort: c.either})
		packet := udpPacket(host4[0], host4[1], pattern(40))
		burst := p.seal(t, packet)
		in.Unprotect(burst, nil)
		if burst[0].Drop != c.want || c.want == record.DropNone && !bytes.Equal(burst[0].Content(), packet) {
			t.Errorf("from %d to %d, either %v: %v", c.from, c.to, c.either, burst[0].Drop)
		}
	}
}

// TestRunEndsWhereTheAddressesChange has two SAs of one SPI side by side, told apart by source.
func TestRunEndsWhereTheAddressesChange(t *testing.T) {
	db, writers := NewDatabase(), []*writer(nil)
	for i := range 2 {
		a := association4(AES128GCM16)
		a.Source, a.Key[0] = gateway4[i], byte(i)
		w := &writer{oracle: newOracle(t, &a), a: a}
		var err error
		w.sa, err = NewInboundSA(newEngine(t), InboundConfig{Association: a, Match: ByAddresses})
		must(t, err)
		must(t, db.Add(w.sa))
		writers = append(writers, w)
	}
	inner := udpPacket(host4[0], host4[1], pattern(40))
	var burst []record.Datagram
	for i := range 12 {
		w := writers[i/2%2]
		burst = append(burst, datagram(outerPacket(w.a.Source, gateway4[1], false, w.next(inner, 4, 0)), 0, 0))
	}
	by := make([]*InboundSA, len(burst))
	if n := NewInbound(newEngine(t), db, InboundOptions{}).Unprotect(burst, by); n != len(burst) {
		t.Errorf("opened %d: %v", n, causes(burst))
	}
	for i := range by {
		if by[i] != writers[i/2%2].sa {
			t.Errorf("packet %d: another SA", i)
		}
	}
}
