package quicadapter

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// pair is a link whose 1-RTT keys are installed and whose server has an empty ID.
func pair(t testing.TB) *link {
	l := newLink(t, Version1)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	l.add(l.server, "")
	return l
}

func TestSamplePastThePacketIsDropped(t *testing.T) {
	l := newLinkWith(t, Version1, 4)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	l.add(l.server, "01020304")
	for size := 5; size < 5+20; size++ { // the number starts at 5
		wire := make([]byte, size)
		copy(wire, []byte{0x40, 1, 2, 3, 4})
		l.drops(wire, record.DropTruncated)
	}
	wire := make([]byte, 5+20)
	copy(wire, []byte{0x40, 1, 2, 3, 4})
	l.drops(wire, record.DropUnauthentic)
}

func TestOneBytePingIsPadded(t *testing.T) {
	l := pair(t)
	wire := l.seal(outgoing(l.client, OneRTT, []byte{1}))
	if len(wire) != 1+1+3+16 { // a number of 1 byte, 3 bytes of payload, the tag
		t.Errorf("%d bytes on the wire", len(wire))
	}
	l.opens(wire, 0, []byte{1, 0, 0})
}

func TestEmptyPayloadIsPadded(t *testing.T) {
	l := pair(t)
	l.opens(l.seal(outgoing(l.client, OneRTT, nil)), 0, []byte{0, 0, 0})
}

func TestMinSizePads(t *testing.T) {
	l := newLink(t, Version1)
	l.initial(clientChoice)
	l.add(l.server, clientChoice)
	p := outgoing(l.client, Initial, []byte{1})
	p.Buf = append(p.Buf, make([]byte, 1200)...)
	p.Destination, p.Token, p.MinSize = unhex(t, clientChoice), []byte("token"), 1200
	wire := l.seal(p)
	if len(wire) != 1200 {
		t.Errorf("%d bytes on the wire", len(wire))
	}
	want := make([]byte, 1200-(1+4+1+8+1+1+5+2+1)-16)
	want[0] = 1
	l.opens(wire, 0, want)
}

// RFC 9000 appendix A.2: 0xabe8b3 acknowledged, 0xac5c02 takes 2 bytes and 0xace8fe 3.
func TestNumberLengthFollowsAcknowledgements(t *testing.T) {
	for _, c := range []struct {
		acked, number uint64
		size          int
	}{
		{0x11eaa, 0x11f2e, 2}, {0xabe8b3, 0xac5c02, 2}, {0xabe8b3, 0xace8fe, 3},
		{pnum.None, 0, 1}, {1<<62 - 2, 1<<62 - 1, 1}, {1<<62 - 1 - 1<<30, 1<<62 - 1, 4},
	} {
		l := pair(t)
		setNext(l.client, c.number, c.acked)
		if c.acked != pnum.None {
			heard(l.server, c.acked)
		}
		wire := l.seal(outgoing(l.client, OneRTT, make([]byte, 10)))
		if got := len(wire) - 1 - 10 - 16; got != c.size {
			t.Errorf("%#x after %#x: %d bytes, not %d", c.number, c.acked, got, c.size)
		}
		l.opens(wire, c.number, make([]byte, 10))
	}
}

// setNext makes a connection go on at a number of the application's space.
func setNext(c *Conn, next, acked uint64) {
	s := &c.spaces[spaceApplication]
	s.next, s.acked = next, acked
	c.seal[OneRTT].sender, _ = c.newSender(AES128GCM, OneRTT)
}

func TestDecodesTheNumberOfAppendixA3(t *testing.T) {
	l := pair(t)
	heard(l.server, 0xa82f30ea)
	o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	wire := o.seal([]byte{0x41, 0x9b, 0x32}, make([]byte, 8), 0xa82f9b32, 2)
	l.opens(wire, 0xa82f9b32, make([]byte, 8))
}

func TestNumbersEnd(t *testing.T) {
	l := pair(t)
	setNext(l.client, pnum.MaxQUIC, pnum.MaxQUIC-1)
	l.seal(outgoing(l.client, OneRTT, make([]byte, 8)))
	burst := []Packet{outgoing(l.client, OneRTT, make([]byte, 8))}
	if n := l.out.Seal(burst); n != 0 || burst[0].Drop != record.DropLimit {
		t.Errorf("sealed %d behind the last number, drop %v", n, burst[0].Drop)
	}
	l.client.Confirm()
	if err := l.client.Update(); err == nil {
		t.Error("a key update found new numbers")
	}
}

func TestNumberTooFarFromTheAcknowledged(t *testing.T) {
	l := pair(t)
	setNext(l.client, 1<<31, 0)
	burst := []Packet{outgoing(l.client, OneRTT, make([]byte, 8))}
	if l.out.Seal(burst); burst[0].Drop != record.DropLimit || burst[0].Len != 8 {
		t.Errorf("drop %v, %d bytes", burst[0].Drop, burst[0].Len)
	}
}

func TestRetryOfAnotherConnectionIsRefused(t *testing.T) {
	tags := newRetryTags(t)
	for _, a := range appendices {
		retry, id := unhex(t, a.retry), unhex(t, clientChoice)
		for bit := range 8 * len(id) {
			id[bit/8] ^= 1 << (bit % 8)
			if tags.Valid(id, retry) {
				t.Errorf("%s: valid with bit %d of the ID flipped", a.name, bit)
			}
			id[bit/8] ^= 1 << (bit % 8)
		}
		for bit := range 8 * len(retry) {
			retry[bit/8] ^= 1 << (bit % 8)
			// The low four bits of the first byte are unused, and authenticated all the same.
			if tags.Valid(id, retry) {
				t.Errorf("%s: valid with bit %d flipped", a.name, bit)
			}
			retry[bit/8] ^= 1 << (bit % 8)
		}
		if tags.Valid(nil, retry) || tags.Valid(make([]byte, 21), retry) || tags.Valid(id, retry[:len(retry)-1]) {
			t.Errorf("%s: valid with another ID, or cut", a.name)
		}
	}
}

func TestRetryWithAnEmptyOriginalID(t *testing.T) {
	tags := newRetryTags(t)
	for _, v := range versions {
		retry, err := tags.Append(nil, v, nil, []byte{1}, []byte{2}, []byte("t"))
		if err != nil {
			t.Fatal(err)
		}
		if !tags.Valid(nil, retry) || tags.Valid([]byte{0}, retry) {
			t.Errorf("%x: an empty ID and one of a zero byte are not told apart", uint32(v))
		}
	}
}

func TestRetryRefusesWhatNoneCanHave(t *testing.T) {
	tags := newRetryTags(t)
	long := make([]byte, 21)
	for name, call := range map[string]func() ([]byte, error){
		"version":  func() ([]byte, error) { return tags.Append(nil, 7, nil, nil, nil, []byte{1}) },
		"original": func() ([]byte, error) { return tags.Append(nil, Version1, long, nil, nil, []byte{1}) },
		"source":   func() ([]byte, error) { return tags.Append(nil, Version1, nil, nil, long, []byte{1}) },
		"token":    func() ([]byte, error) { return tags.Append(nil, Version1, nil, nil, nil, nil) },
	} {
		if b, err := call(); !errors.Is(err, ErrConfig) || len(b) != 0 {
			t.Errorf("%s: %x, %v", name, b, err)
		}
	}
}

// reservedPacket is sealed by the oracle with a reserved bit set.
func reservedPacket(t *testing.T, bit byte) []byte {
	o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	return o.seal([]byte{0x40 | bit, 0}, make([]byte, 8), 0, 1)
}

func TestReservedBitsEndTheConnection(t *testing.T) {
	for _, bit := range []byte{0x08, 0x10} {
		l := pair(t)
		l.drops(reservedPacket(t, bit), record.DropMalformed)
		if err := l.server.Err(); !errors.Is(err, ErrReservedBits) {
			t.Errorf("bit %02x: %v", bit, err)
		}
		l.drops(l.seal(outgoing(l.client, OneRTT, nil)), record.DropClosed)
		l.seal(outgoing(l.server, OneRTT, []byte{0x1c})) // CONNECTION_CLOSE still goes out
	}
}

func TestReservedBitsOfForgeriesDoNot(t *testing.T) {
	l := pair(t)
	wire := reservedPacket(t, 0x08)
	wire[len(wire)-1] ^= 1
	l.drops(wire, record.DropUnauthentic)
	if err := l.server.Err(); err != nil {
		t.Error(err)
	}
}

func TestReservedBitsOfLongHeaders(t *testing.T) {
	for _, bit := range []byte{0x04, 0x08} {
		l := newLink(t, Version1)
		l.both(Handshake, AES128GCM, secretOf(AES128GCM, 3))
		l.add(l.server, "")
		o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
		wire := o.seal([]byte{0xe0 | bit, 0, 0, 0, 1, 0, 0, 0x40, 1 + 8 + 16, 0}, make([]byte, 8), 0, 1)
		l.drops(wire, record.DropMalformed)
		if err := l.server.Err(); !errors.Is(err, ErrReservedBits) {
			t.Errorf("bit %02x: %v", bit, err)
		}
	}
}

func TestFixedBitZeroIsDropped(t *testing.T) {
	l := pair(t)
	wire := l.seal(outgoing(l.client, OneRTT, make([]byte, 8)))
	wire[0] &^= fixedBit
	l.drops(wire, record.DropMalformed)
	long := append([]byte{0x80, 0, 0, 0, 1, 0, 0, 0, 0x40, 30}, make([]byte, 30)...)
	l.drops(long, record.DropMalformed)
}

func TestLengthPastTheDatagramIsDropped(t *testing.T) {
	l := newLink(t, Version1)
	l.both(Handshake, AES128GCM, secretOf(AES128GCM, 3))
	l.add(l.server, "")
	wire := l.seal(outgoing(l.client, Handshake, make([]byte, 40)))
	for cut := 1; cut < len(wire); cut++ {
		l.drops(wire[:len(wire)-cut], record.DropTruncated)
	}
	for _, length := range [][]byte{{0x3f}, {0x7f, 0xff}, {0xbf, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0xff}, 8), {0xff}} {
		l.drops(append([]byte{0xe0, 0, 0, 0, 1, 0, 0}, length...), record.DropTruncated)
	}
}

func TestTokenLongerThanThePacketIsDropped(t *testing.T) {
	l := pair(t)
	for _, length := range [][]byte{{0x05}, {0x7f, 0xff}, {0xbf, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0xff}, 8)} {
		l.drops(append(append([]byte{0xc0, 0, 0, 0, 1, 0, 0}, length...), 1, 2, 3, 4), record.DropTruncated)
	}
	l.drops([]byte{0xc0, 0, 0, 0, 1, 0, 0}, record.DropTruncated)
}

func TestConnectionIDsOver20BytesAreDropped(t *testing.T) {
	l := pair(t)
	for _, ids := range [][2]int{{21, 0}, {0, 21}, {255, 255}} {
		wire := append([]byte{0xc0, 0, 0, 0, 1, byte(ids[0])}, make([]byte, ids[0])...)
		wire = append(append(wire, byte(ids[1])), make([]byte, ids[1]+40)...)
		l.drops(wire, record.DropMalformed)
	}
	l.drops([]byte{0xc0, 0, 0, 0, 1, 20, 1, 2}, record.DropTruncated)
	for _, field := range []string{"destination", "source"} {
		p := outgoing(l.client, Handshake, nil)
		if field == "source" {
			p.Source = make([]byte, 21)
		} else {
			p.Destination = make([]byte, 21)
		}
		burst := []Packet{p}
		l.client.Install(Handshake, ciphers.Sealing, AES128GCM, secretOf(AES128GCM, 1))
		if l.out.Seal(burst); burst[0].Drop != record.DropFailed {
			t.Errorf("%s of 21 bytes: drop %v", field, burst[0].Drop)
		}
	}
}

func TestUnknownConnectionIsDroppedUntouched(t *testing.T) {
	l := newLinkWith(t, Version1, 8)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	p := outgoing(l.client, OneRTT, make([]byte, 8))
	p.Destination = []byte("abcdefgh")
	wire := l.seal(p)
	packets := l.open(wire)
	if p := &packets[0]; p.Drop != record.DropUnknownSession || !bytes.Equal(p.Content(), wire) || !bytes.Equal(p.Destination, []byte("abcdefgh")) {
		t.Fatalf("drop %v, %x", p.Drop, p.Content())
	}
	l.add(l.server, "6162636465666768") // now it is known, and the same bytes open
	if again, n := l.in.Open([]record.Datagram{packets[0].Datagram}); n != 1 {
		t.Errorf("drop %v", again[0].Drop)
	}
	l.table.Remove([]byte("abcdefgh"))
	l.drops(wire, record.DropUnknownSession)
}

func TestOneRTTBeforeTheHandshakeEndsWaits(t *testing.T) {
	l := newLink(t, Version1)
	l.client.Install(OneRTT, ciphers.Sealing, AES128GCM, secretOf(AES128GCM, 3))
	l.add(l.server, "")
	wire := l.seal(outgoing(l.client, OneRTT, make([]byte, 8)))
	packets := l.open(wire)
	if p := &packets[0]; p.Drop != record.DropEpoch || !bytes.Equal(p.Content(), wire) {
		t.Fatalf("drop %v", p.Drop)
	}
	held := packets[0].Datagram
	l.server.Install(OneRTT, ciphers.Opening, AES128GCM, secretOf(AES128GCM, 3))
	if again, n := l.in.Open([]record.Datagram{held}); n != 1 {
		t.Errorf("held packet: drop %v", again[0].Drop)
	}
}

func TestGarbageIsDropped(t *testing.T) {
	l := pair(t)
	for first := range 256 {
		for size := range 64 {
			wire := bytes.Repeat([]byte{byte(first)}, size)
			for _, p := range l.open(wire) {
				if p.Drop == record.DropNone && p.Type.HasKeys() {
					t.Fatalf("%d bytes of %02x were opened", size, first)
				}
			}
		}
	}
	if l.server.Err() != nil {
		t.Error(l.server.Err())
	}
}

func TestInvalidDatagramIsRefused(t *testing.T) {
	l := pair(t)
	burst := []record.Datagram{{Buf: make([]byte, 4), Off: 3, Len: 2}, {Buf: make([]byte, 4), Off: -1}}
	if _, n := l.in.Open(burst); n != 0 || burst[0].Drop != record.DropFailed || burst[1].Drop != record.DropFailed {
		t.Errorf("%d, %v, %v", n, burst[0].Drop, burst[1].Drop)
	}
	if packets, n := l.in.Open(nil); n != 0 || len(packets) != 0 {
		t.Error("an empty burst has packets")
	}
	if l.out.Seal(nil) != 0 {
		t.Error("an empty burst was sealed")
	}
}

func TestReplayIsDropped(t *testing.T) {
	l := pair(t)
	p := outgoing(l.client, OneRTT, make([]byte, 8))
	p.NumberSize = 4 // so that its number stays the same beside a window further up
	wire := l.seal(p)
	twice := []record.Datagram{datagram(wire), datagram(wire)}
	if packets, n := l.in.Open(twice); n != 1 || packets[1].Drop != record.DropReplayed {
		t.Errorf("%d opened, second %v", n, packets[1].Drop)
	}
	l.drops(wire, record.DropReplayed)
	heard(l.server, DefaultWindow)
	l.drops(wire, record.DropTooOld)
}

func TestVersionNegotiationIsRecognised(t *testing.T) {
	l := pair(t)
	wire, err := AppendVersionNegotiation(nil, 0x25, nil, []byte("server"), Version2, 0x1a2a3a4a)
	if err != nil {
		t.Fatal(err)
	}
	p := l.open(wire)[0]
	if p.Drop != record.DropNone || p.Type != VersionNegotiation || p.Conn != l.server || string(p.Source) != "server" {
		t.Errorf("%v, %v", p.Type, p.Drop)
	}
	if !p.Offers(Version2) || p.Offers(Version1) {
		t.Errorf("offers %x", p.Versions)
	}
	l.drops(wire[:len(wire)-1], record.DropTruncated)
	l.drops(wire[:len(wire)-8], record.DropTruncated) // an empty list
	if _, err := AppendVersionNegotiation(nil, 0, nil, nil); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}

func TestOtherVersionsAreToldApart(t *testing.T) {
	l := pair(t)
	wire := append([]byte{0xc0, 0xfa, 0xce, 0xb0, 0x0c, 21}, bytes.Repeat([]byte{7}, 21)...)
	wire = append(wire, 0, 1, 2, 3)
	p := l.open(wire)[0]
	if p.Type != OtherVersion || p.Drop != record.DropType || len(p.Destination) != 21 || p.Version != 0xfaceb00c {
		t.Errorf("%v, %v, %x", p.Type, p.Drop, p.Destination)
	}
	v2 := newLink(t, Version2)
	v2.both(Handshake, AES128GCM, secretOf(AES128GCM, 3))
	l.drops(v2.seal(outgoing(v2.client, Handshake, nil)), record.DropType) // not this connection's version
}

func TestStatelessResetIsRecognised(t *testing.T) {
	l := pair(t)
	token := [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	for _, size := range []int{21, 22, 43, 100} {
		wire := append(bytes.Repeat([]byte{0x55}, size-16), token[:]...)
		p := l.open(wire)[0]
		other := token
		other[3] ^= 1
		if p.Drop == record.DropNone || !p.IsReset(&token) || p.IsReset(&other) {
			t.Errorf("%d bytes: drop %v", size, p.Drop)
		}
	}
	if p := l.open(l.seal(outgoing(l.client, OneRTT, append(make([]byte, 20), token[:]...))))[0]; p.IsReset(&token) {
		t.Error("an authentic packet passes for a reset")
	}
}

func TestSealRefuses(t *testing.T) {
	for _, id := range [][]byte{nil, rowID} {
		testSealRefuses(t, id)
	}
}

func testSealRefuses(t *testing.T, id []byte) {
	l := pair(t)
	good := func() Packet {
		p := outgoing(l.client, OneRTT, make([]byte, 8))
		p.Destination = id
		return p
	}
	for name, c := range map[string]struct {
		spoil func(p *Packet)
		want  record.Drop
	}{
		"no connection":      {func(p *Packet) { p.Conn = nil }, record.DropUnknownSession},
		"no type":            {func(p *Packet) { p.Type = 0 }, record.DropType},
		"retry":              {func(p *Packet) { p.Type = Retry }, record.DropType},
		"no keys":            {func(p *Packet) { p.Type = Handshake }, record.DropEpoch},
		"number of 5 bytes":  {func(p *Packet) { p.NumberSize = 5 }, record.DropFailed},
		"source when short":  {func(p *Packet) { p.Source = []byte{1} }, record.DropFailed},
		"token":              {func(p *Packet) { p.Token = []byte{1} }, record.DropFailed},
		"outside its buffer": {func(p *Packet) { p.Len = len(p.Buf) }, record.DropFailed},
		"no headroom":        {func(p *Packet) { p.Off = 1 }, record.DropHeadroom},
		"no tailroom":        {func(p *Packet) { p.Buf = p.Buf[:p.Off+p.Len+15] }, record.DropTailroom},
		"too long":           {func(p *Packet) { p.MinSize = 1 << 16 }, record.DropTooLong},
	} {
		burst := []Packet{good(), good(), good()}
		c.spoil(&burst[1])
		off, n := burst[1].Off, burst[1].Len
		if ok := l.out.Seal(burst); ok != 2 || burst[1].Drop != c.want {
			t.Errorf("%s: %d sealed, drop %v, not %v", name, ok, burst[1].Drop, c.want)
		}
		if burst[1].Off != off || burst[1].Len != n {
			t.Errorf("%s: the content moved", name)
		}
	}
	if tally := l.out.Drops(); tally.Dropped() != 11 || tally[record.DropFailed] != 4 || tally[record.DropNone] != 22 {
		t.Errorf("counted %v", tally.ByName())
	}
}
