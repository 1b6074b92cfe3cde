package ethernet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/record"
)

var (
	own    = MAC{0x02, 0, 0, 0, 0, 0x01}
	friend = MAC{0x02, 0, 0, 0, 0, 0x02}
)

func newHost() *Host {
	return NewHost(Config{
		MAC: own, Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24"), netip.MustParsePrefix("2001:db8::1/64")},
		Gateway: netip.MustParseAddr("192.0.2.254"),
	})
}

const room = 128

// datagram is a frame in a buffer with room round it.
func datagram(frame []byte) *record.Datagram {
	d := &record.Datagram{Buf: make([]byte, room+len(frame)+room), Off: room, Len: len(frame)}
	copy(d.Buf[room:], frame)
	return d
}

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// slowSum is RFC 1071's checksum, word by word.
func slowSum(parts ...[]byte) uint16 {
	var s uint32
	for _, b := range parts {
		for i := 0; i < len(b); i += 2 {
			w := uint32(b[i]) << 8
			if i+1 < len(b) {
				w |= uint32(b[i+1])
			}
			s += w
		}
	}
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return ^uint16(s)
}

// The frames of these tests were written down byte by byte from the RFCs.
const (
	whoHas = `ffffffffffff 020000000002 0806 0001 0800 06 04 0001 020000000002 c0000202 000000000000 c0000201`
	isAt   = `020000000002 020000000001 0806 0001 0800 06 04 0002 020000000001 c0000201 020000000002 c0000202`
	// A neighbour solicitation for 2001:db8::1 from 2001:db8::2 (RFC 4861 section 4.3).
	solicit = `3333ff000001 020000000002 86dd 60000000 0020 3a ff 20010db8000000000000000000000002 ff0200000000000000000001ff000001
		87 00 0000 00000000 20010db8000000000000000000000001 01 01 020000000002`
	// The advertisement that answers it, solicited and overriding (section 4.4).
	advert = `020000000002 020000000001 86dd 60000000 0020 3a ff 20010db8000000000000000000000001 20010db8000000000000000000000002
		88 00 0000 60000000 20010db8000000000000000000000001 02 01 020000000001`
)

// icmp6 fills in the checksum of an ICMPv6 frame.
func icmp6(frame []byte) []byte {
	packet := frame[HeaderSize:]
	icmp := packet[40:]
	icmp[2], icmp[3] = 0, 0
	binary.BigEndian.PutUint16(icmp[2:], slowSum(packet[8:40], []byte{0, 0, byte(len(icmp) >> 8), byte(len(icmp)), 0, 0, 0, 58}, icmp))
	return frame
}

func ping4(from, to string, payload int) []byte {
	p := make([]byte, 28+payload)
	copy(p, []byte{0x45, 0, byte(len(p) >> 8), byte(len(p)), 0, 7, 0, 0, 63, 1})
	copy(p[12:], netip.MustParseAddr(from).AsSlice())
	copy(p[16:], netip.MustParseAddr(to).AsSlice())
	binary.BigEndian.PutUint16(p[10:], slowSum(p[:20]))
	p[20], p[25], p[27] = 8, 1, 2
	for i := range payload {
		p[28+i] = byte(i)
	}
	binary.BigEndian.PutUint16(p[22:], slowSum(p[20:]))
	return p
}

func frameOf(to, from MAC, packet []byte) []byte {
	f := make([]byte, HeaderSize, HeaderSize+len(packet))
	ether := uint16(typeIPv4)
	if packet[0]>>4 == 6 {
		ether = typeIPv6
	}
	putHeader(f, to, from, ether)
	return append(f, packet...)
}

func TestARPRequestIsAnswered(t *testing.T) {
	h, d := newHost(), datagram(bytesOf(t, whoHas))
	if v := h.Take(d); v != Answer {
		t.Fatalf("%v, %v", v, d.Drop)
	}
	if want := bytesOf(t, isAt); len(d.Content()) != MinFrame || !bytes.HasPrefix(d.Content(), want) {
		t.Errorf("%x, want %x", d.Content(), want)
	}
	if mac, ok := h.Hop(netip.MustParseAddr("192.0.2.2")).MAC(); !ok || mac != friend {
		t.Errorf("learned %v, %v", mac, ok)
	}
	for change, verdict := range map[string]Verdict{"c0000209": Taken, "c0000201": Answer} { // somebody else is asked for
		d := datagram(bytesOf(t, strings.TrimSuffix(whoHas, "c0000201")+change))
		if v := h.Take(d); v != verdict {
			t.Errorf("%s: %v", change, v)
		}
	}
}

func TestNeighbourSolicitationIsAnswered(t *testing.T) {
	h, d := newHost(), datagram(icmp6(bytesOf(t, solicit)))
	if v := h.Take(d); v != Answer {
		t.Fatalf("%v, %v", v, d.Drop)
	}
	if want := icmp6(bytesOf(t, advert)); !bytes.Equal(d.Content(), want) {
		t.Errorf("%x, want %x", d.Content(), want)
	}
	if mac, ok := h.Hop(netip.MustParseAddr("2001:db8::2")).MAC(); !ok || mac != friend {
		t.Errorf("learned %v, %v", mac, ok)
	}
}

func TestNeighbourMessagesFromBeyondTheLink(t *testing.T) {
	for name, harm := range map[string]func(f []byte){
		"hop limit":    func(f []byte) { f[HeaderSize+7] = 254 },
		"code":         func(f []byte) { f[HeaderSize+41] = 1 },
		"empty option": func(f []byte) { f[HeaderSize+65] = 0 },
		"long option":  func(f []byte) { f[HeaderSize+65] = 2 },
		"multicast":    func(f []byte) { f[HeaderSize+48] = 0xff },
	} {
		f := bytesOf(t, solicit)
		harm(f)
		d := datagram(icmp6(f))
		if v := newHost().Take(d); v != Dropped || d.Drop != record.DropMalformed {
			t.Errorf("%s: %v, %v", name, v, d.Drop)
		}
	}
	f := icmp6(bytesOf(t, solicit))
	f[len(f)-1] ^= 1 // wrong checksum
	if d := datagram(f); newHost().Take(d) != Dropped || d.Drop != record.DropMalformed {
		t.Error("a wrong checksum was taken")
	}
}

func TestPing(t *testing.T) {
	h := newHost()
	for _, payload := range []int{0, 1, 56, 57, 1400} {
		request := ping4("192.0.2.2", "192.0.2.1", payload)
		d := datagram(frameOf(own, friend, request))
		if v := h.Take(d); v != Answer {
			t.Fatalf("%d bytes: %v, %v", payload, v, d.Drop)
		}
		f := d.Content()
		packet := f[HeaderSize:]
		want := ping4("192.0.2.1", "192.0.2.2", payload)
		want[20], want[8] = 0, 64
		binary.BigEndian.PutUint16(want[10:], 0)
		binary.BigEndian.PutUint16(want[10:], slowSum(want[:20]))
		binary.BigEndian.PutUint16(want[22:], 0)
		binary.BigEndian.PutUint16(want[22:], slowSum(want[20:]))
		if !bytes.Equal(f[:12], append(friend[:6:6], own[:]...)) || !bytes.Equal(packet, want) {
			t.Errorf("%d bytes: %x, want %x", payload, f, want)
		}
	}
	wrong := ping4("192.0.2.2", "192.0.2.1", 10)
	wrong[30] ^= 1
	if v := h.Take(datagram(frameOf(own, friend, wrong))); v != Taken {
		t.Errorf("a wrong checksum: %v", v)
	}
}

func TestPing6(t *testing.T) {
	f := bytesOf(t, `020000000001 020000000002 86dd 60000000 000c 3a 40 20010db8000000000000000000000002 20010db8000000000000000000000001 80 00 0000 0001 0002 deadbeef`)
	d := datagram(icmp6(f))
	if v := newHost().Take(d); v != Answer {
		t.Fatalf("%v, %v", v, d.Drop)
	}
	want := icmp6(bytesOf(t, `020000000002 020000000001 86dd 60000000 000c 3a 40 20010db8000000000000000000000001 20010db8000000000000000000000002 81 00 0000 0001 0002 deadbeef`))
	if !bytes.Equal(d.Content(), want) {
		t.Errorf("%x, want %x", d.Content(), want)
	}
}

func TestVerdicts(t *testing.T) {
	h := newHost()
	through := ping4("192.0.2.2", "198.51.100.7", 10)
	mine := bytes.Clone(through)
	copy(mine[16:], []byte{192, 0, 2, 1})
	mine[9] = 50
	padded := append(frameOf(own, friend, mine), make([]byte, 9)...)
	for _, c := range []struct {
		name    string
		frame   []byte
		verdict Verdict
		drop    record.Drop
		length  int
	}{
		{"through", frameOf(own, friend, through), Transit, 0, len(through)},
		{"mine", frameOf(own, friend, mine), Local, 0, len(mine)},
		{"padded", padded, Local, 0, len(mine)},
		{"mine, to all", frameOf(Broadcast, friend, mine), Local, 0, len(mine)},
		{"through, to all", frameOf(Broadcast, friend, through), Dropped, record.DropType, 0},
		{"to another host", frameOf(friend, own, through), Dropped, record.DropType, 0},
		{"empty", nil, Dropped, record.DropTruncated, 0},
		{"runt", frameOf(own, friend, through)[:20], Dropped, record.DropTruncated, 0},
		{"cut", frameOf(own, friend, through)[:45], Dropped, record.DropTruncated, 0},
		{"VLAN", bytesOf(t, "020000000001 020000000002 8100 0005 0800 4500"), Dropped, record.DropType, 0},
		{"not IP", bytesOf(t, "020000000001 020000000002 88cc 0000"), Dropped, record.DropType, 0},
		{"short header", append(frameOf(own, friend, []byte{0x45, 0}), 0x44), Dropped, record.DropTruncated, 0},
	} {
		d := datagram(c.frame)
		if v := h.Take(d); v != c.verdict || d.Drop != c.drop || c.length != 0 && d.Len != c.length {
			t.Errorf("%s: %v, %v, %d bytes", c.name, v, d.Drop, d.Len)
		}
	}
	if v := h.Take(&record.Datagram{Drop: record.DropTooLong}); v != Dropped {
		t.Error(v)
	}
}

// TestHostWithoutAddresses takes whatever comes, as a wire does.
func TestHostWithoutAddresses(t *testing.T) {
	h := NewHost(Config{MAC: own})
	for _, to := range []MAC{own, friend, Broadcast} {
		if v := h.Take(datagram(frameOf(to, friend, ping4("1.2.3.4", "5.6.7.8", 3)))); v != Local {
			t.Errorf("to %v: %v", to, v)
		}
	}
	if v := h.Take(datagram(bytesOf(t, whoHas))); v != Taken {
		t.Errorf("an ARP request: %v", v)
	}
}

// asker is a Queue that keeps what is sent.
type asker struct{ sent [][]byte }

func (a *asker) Receive(b *Burst) { b.N = 0 }

func (a *asker) Exchange(b *Burst) int {
	sent := a.Send(b)
	a.Receive(b)
	return sent
}
func (a *asker) ChecksUDP() bool { return false }
func (a *asker) Send(b *Burst) int {
	for i := range b.Frames[:b.N] {
		a.sent = append(a.sent, bytes.Clone(b.Frames[i].Content()))
	}
	n := b.N
	b.N = 0
	return n
}

func (a *asker) Allocate(b *Burst, n int) bool {
	for i := range n {
		b.Frames[i], b.Buffers[i] = record.Datagram{Buf: make([]byte, 300), Off: room}, 1
	}
	b.N = n
	return true
}

func TestNeighboursAreAsked(t *testing.T) {
	h, q := newHost(), &asker{}
	var b Burst
	for _, to := range []string{"192.0.2.2", "198.51.100.1", "2001:db8::2"} { // the second one by the router
		if h.Hop(netip.MustParseAddr(to)) == nil {
			t.Fatalf("no way to %s", to)
		}
	}
	if h.Hop(netip.MustParseAddr("2001:db9::1")) == nil {
		t.Error("the router does for IPv6 what it does for IPv4")
	}
	h.Ask(0, time.Second, q, &b)
	if len(q.sent) != 3 {
		t.Fatalf("%d requests", len(q.sent))
	}
	wants := map[string]bool{
		string(append(bytesOf(t, `ffffffffffff 020000000001 0806 0001 0800 06 04 0001 020000000001 c0000201 000000000000 c0000202`), make([]byte, 18)...)): true,
		string(append(bytesOf(t, `ffffffffffff 020000000001 0806 0001 0800 06 04 0001 020000000001 c0000201 000000000000 c00002fe`), make([]byte, 18)...)): true,
		string(icmp6(bytesOf(t, `3333ff000002 020000000001 86dd 60000000 0020 3a ff 20010db8000000000000000000000001 ff0200000000000000000001ff000002
			87 00 0000 00000000 20010db8000000000000000000000002 01 01 020000000001`))): true,
	}
	for _, f := range q.sent {
		if !wants[string(f)] {
			t.Errorf("asked %x", f)
		}
	}
	again := func(at time.Duration) int {
		q.sent = nil
		for round := range Rounds {
			h.Ask(round, at, q, &b)
		}
		return len(q.sent)
	}
	if n := again(time.Second + askEvery/2); n != 0 {
		t.Errorf("asked %d times too early", n)
	}
	h.Take(datagram(icmp6(bytesOf(t, `020000000001 020000000002 86dd 60000000 0020 3a ff 20010db8000000000000000000000002 20010db8000000000000000000000001
		88 00 0000 60000000 20010db8000000000000000000000002 02 01 020000000002`))))
	if mac, ok := h.Hop(netip.MustParseAddr("2001:db8::2")).MAC(); !ok || mac != friend {
		t.Errorf("heard %v, %v", mac, ok)
	}
	if n := again(time.Second + 2*askEvery); n != 2 {
		t.Errorf("asked %d of the two that are silent", n)
	}
	if n := again(time.Second + refreshEvery + 3*askEvery); n != 3 {
		t.Errorf("asked %d of three again", n)
	}
}

func TestFramesToNeighbours(t *testing.T) {
	h := newHost()
	near, far, silent := h.Hop(netip.MustParseAddr("192.0.2.2")), h.Hop(netip.MustParseAddr("192.0.2.3")), h.Hop(netip.MustParseAddr("192.0.2.4"))
	other := MAC{0xf2, 1, 2, 3, 4, 0xf5}
	near.set(friend)
	far.set(other)
	packet, packet6 := ping4("1.1.1.1", "192.0.2.2", 5), icmp6(bytesOf(t, solicit))[HeaderSize:]
	for i, c := range []struct {
		d    *record.Datagram
		hop  *Neighbour
		want []byte // or else the cause
		drop record.Drop
	}{
		{datagram(packet), near, frameOf(friend, own, packet), 0},
		{datagram(packet), near, frameOf(friend, own, packet), 0},
		{datagram(packet), silent, nil, record.DropUnknownSession},
		{datagram(packet6), far, frameOf(other, own, packet6), 0},
		{datagram(packet), nil, nil, record.DropUnknownSession},
		{datagram(packet), near, frameOf(friend, own, packet), 0},
		{datagram(make([]byte, 101)), near, nil, record.DropTooLong},
		{&record.Datagram{Buf: make([]byte, 60), Off: 13, Len: 20}, near, nil, record.DropHeadroom},
		{&record.Datagram{Drop: record.DropReplayed}, nil, nil, record.DropReplayed},
		{datagram(packet), near, frameOf(friend, own, packet), 0},
	} {
		made := 1
		if c.want != nil {
			made = 2
		}
		alone := record.Datagram{Buf: bytes.Clone(c.d.Buf), Off: c.d.Off, Len: c.d.Len, Drop: c.d.Drop}
		burst := []record.Datagram{*datagram(packet), *c.d}
		if n := h.Frames(burst, []*Neighbour{near, c.hop}, 100); n != made {
			t.Errorf("%d: made %d frames", i, n)
		}
		if d := &burst[1]; d.Drop != c.drop || c.want != nil && !bytes.Equal(d.Content(), c.want) {
			t.Errorf("%d: %v, %x, want %x", i, d.Drop, d.Content(), c.want)
		}
		if c.hop == nil {
			continue
		}
		to := []record.Datagram{alone}
		if n := h.FramesTo(to, c.hop, 100); n != made-1 || to[0].Drop != c.drop || c.want != nil && !bytes.Equal(to[0].Content(), c.want) {
			t.Errorf("%d: made %d frames to one neighbour: %v, %x", i, n, to[0].Drop, to[0].Content())
		}
	}
	h.Frames(nil, nil, 100)
	if newHost().Hop(netip.MustParseAddr("9.9.9.9")) == nil || NewHost(Config{}).Hop(netip.MustParseAddr("9.9.9.9")) != nil {
		t.Error("ways")
	}
	if mac, ok := NewHost(Config{Peer: friend}).Hop(netip.MustParseAddr("9.9.9.9")).MAC(); !ok || mac != friend {
		t.Error("the only peer")
	}
}

// TestHeaderIsThatOfFrames whichever way it is written.
func TestHeaderIsThatOfFrames(t *testing.T) {
	h := newHost()
	near, silent := h.Hop(netip.MustParseAddr("192.0.2.2")), h.Hop(netip.MustParseAddr("192.0.2.4"))
	near.set(friend)
	if _, ok := h.HeaderTo(silent, 100); ok {
		t.Error("a header to where nobody knows")
	}
	header, ok := h.HeaderTo(near, 77)
	if !ok || header.Longest != 77 {
		t.Errorf("%+v", header)
	}
	for _, packet := range [][]byte{ping4("1.1.1.1", "192.0.2.2", 5), icmp6(bytesOf(t, solicit))[HeaderSize:]} {
		second := header.Second4
		if packet[0]>>4 == 6 {
			second = header.Second6
		}
		var b [HeaderSize]byte
		binary.NativeEndian.PutUint64(b[:], header.First)
		binary.NativeEndian.PutUint64(b[6:], second)
		if want := frameOf(friend, own, packet)[:HeaderSize]; !bytes.Equal(b[:], want) {
			t.Errorf("%x, want %x", b, want)
		}
	}
}

// TestStrangersFillNothing: what nobody wants is not remembered without end.
func TestStrangersFillNothing(t *testing.T) {
	h := NewHost(Config{MAC: own, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}})
	for i := range maxNeighbours + 1000 {
		h.learn(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), friend)
	}
	if h.neighbours.count > maxNeighbours {
		t.Errorf("%d neighbours", h.neighbours.count)
	}
	h.hear(netip.MustParseAddr("192.0.2.77"), friend)
	if h.neighbours.find(netip.MustParseAddr("192.0.2.77")) != nil {
		t.Error("remembers one that nobody wants")
	}
}

func TestNoErrorAboutErrors(t *testing.T) {
	h := newHost()
	for name, change := range map[string]func(p []byte){
		"an error":         func(p []byte) { p[20] = 3 },
		"a later fragment": func(p []byte) { p[7] = 1 },
		"nobody":           func(p []byte) { copy(p[12:], []byte{0, 0, 0, 0}) },
		"a group":          func(p []byte) { p[12] = 224 },
	} {
		p := ping4("192.0.2.2", "198.51.100.7", 10)
		change(p)
		d := datagram(frameOf(own, friend, p))
		d.Off, d.Len = d.Off+HeaderSize, d.Len-HeaderSize
		if h.TimeExceeded(d) {
			t.Errorf("an error about %s", name)
		}
	}
}

func TestSum(t *testing.T) {
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte(255 - i*i)
	}
	for n := range b {
		if got, want := ^fold(sum(0, b[:n])), slowSum(b[:n]); got != want {
			t.Errorf("%d bytes: %#x, want %#x", n, got, want)
		}
	}
	ones := bytes.Repeat([]byte{0xff}, 64)
	if got, want := ^fold(sum(0xffff, ones)), slowSum(ones, []byte{0xff, 0xff}); got != want {
		t.Errorf("%#x, want %#x", got, want)
	}
}

func TestMAC(t *testing.T) {
	if m, err := ParseMAC("02:00:00:00:00:02"); err != nil || m != friend || m.String() != "02:00:00:00:00:02" || macOf(m.number()) != m {
		t.Errorf("%v, %v", m, err)
	}
	for _, bad := range []string{"", "x", "02:00:00:00:00:00:00:02"} {
		if _, err := ParseMAC(bad); err == nil {
			t.Errorf("%q is a hardware address", bad)
		}
	}
}

// FuzzTake feeds anything: it must not panic, and answers stay inside the buffer.
func FuzzTake(f *testing.F) {
	f.Add(bytesOf(f, whoHas))
	f.Add(bytesOf(f, isAt))
	f.Add(icmp6(bytesOf(f, solicit)))
	f.Add(icmp6(bytesOf(f, advert)))
	f.Add(frameOf(own, friend, ping4("192.0.2.2", "192.0.2.1", 20)))
	f.Add(frameOf(own, friend, ping4("192.0.2.2", "198.51.100.7", 20)))
	f.Fuzz(func(t *testing.T, frame []byte) {
		h := newHost()
		d := datagram(frame)
		before := bytes.Clone(d.Buf)
		v := h.Take(d)
		if !d.Valid() || (v == Dropped) != (d.Drop != record.DropNone) {
			t.Fatalf("%v, %v, %d at %d", v, d.Drop, d.Len, d.Off)
		}
		if !bytes.Equal(before[:room], d.Buf[:room]) || !bytes.Equal(before[room+max(len(frame), ndFrame):], d.Buf[room+max(len(frame), ndFrame):]) {
			t.Fatal("writes outside the frame")
		}
		if v == Transit || v == Local {
			if h.TooBig(d, 1280); !d.Valid() {
				t.Fatal("an error outside the buffer")
			}
		}
	})
}
