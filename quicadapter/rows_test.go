package quicadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

func TestIDsOfEveryLength(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range MaxConnectionID + 1 {
		id, dst := make([]byte, n), bytes.Repeat([]byte{0xa5}, n+2)
		for i := range id {
			id[i] = byte(random.Uint32())
		}
		if got := putID(dst, id); got != n || !bytes.Equal(dst[:n], id) || dst[n] != 0xa5 || dst[n+1] != 0xa5 {
			t.Errorf("%d bytes: %x copied to %x", n, id, dst)
		}
		window := new([shortWindow]byte)
		copy(window[1:], bytes.Repeat([]byte{0xa5}, MaxConnectionID))
		copy(window[1:], id)
		mask := maskOf(n)
		if keyOf(id) != mask.key(window) || keyOf(append(id, 0)) == keyOf(id) {
			t.Errorf("%d bytes: wrong key", n)
		}
		for bit := range 8 * shortWindow {
			window[bit/8] ^= 1 << (bit % 8)
			if within := bit/8 >= 1 && bit/8 <= n; (mask.key(window) != keyOf(id)) != within {
				t.Errorf("%d bytes: bit %d: %v", n, bit, !within)
			}
			window[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// No ID is another's key, whatever zeros it ends in.
func TestTableTellsAllIDsApart(t *testing.T) {
	l := newLink(t, Version1)
	owners := map[int]*Conn{}
	for _, fill := range []byte{0, 1} {
		for n := range MaxConnectionID + 1 {
			id := make([]byte, n)
			if n > 0 {
				id[0] = fill
			} else if fill != 0 {
				continue
			}
			c := newConn(t, l.engine, Version1, Server)
			if err := l.table.Add(id, c); err != nil {
				t.Fatalf("%d bytes of %d: %v", n, fill, err)
			}
			owners[n+100*int(fill)] = c
		}
	}
	f := finder{table: l.table}
	for key, c := range owners {
		id := make([]byte, key%100)
		if len(id) > 0 {
			id[0] = byte(key / 100)
		}
		if f.find(id) != c {
			t.Errorf("%d bytes of %d: another connection", key%100, key/100)
		}
	}
}

// Masks byte by byte, as RFC 9001 section 5.4.1 has them.
func TestMasksAgainstTheRFC(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		b, mask := make([]byte, 40), make([]byte, 16)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		for i := range mask {
			mask[i] = byte(random.Uint32())
		}
		off, size := 1+random.IntN(20), int(b[0]&3)+1
		want := bytes.Clone(b)
		if want[0]&0x80 == 0x80 {
			want[0] ^= mask[0] & 0x0f
		} else {
			want[0] ^= mask[0] & 0x1f
		}
		for i := range size {
			want[off+i] ^= mask[1+i]
		}
		plain, number := bytes.Clone(b), uint64(0)
		for _, digit := range b[off:][:size] {
			number = number<<8 | uint64(digit)
		}
		if protect(b, off, size, binary.BigEndian.Uint64(mask)); !bytes.Equal(b, want) {
			t.Fatalf("number of %d bytes at %d: %x, not %x", size, off, b, want)
		}
		if got, length := unprotect(b, off, binary.BigEndian.Uint64(mask)); got != number || length != size || !bytes.Equal(b, plain) {
			t.Fatalf("number %x of %d bytes: %x of %d", number, size, got, length)
		}
	}
}

// Numbers far apart give nonces of their own, as another implementation makes them.
func TestNoncesOfDistantNumbers(t *testing.T) {
	eachSuite(t, func(t *testing.T, v Version, s Suite) {
		o := newOracle(t, v, s, secretOf(s, 3))
		for _, number := range []uint64{0, 1 << 16, 1 << 32, 1<<62 - 1} {
			l := newLink(t, v)
			l.both(OneRTT, s, secretOf(s, 3))
			setNext(l.client, number, number-1)
			p := outgoing(l.client, OneRTT, []byte("payload"))
			p.NumberSize = 4
			if _, got, err := o.open(l.seal(p), 1, number); err != nil || !bytes.Equal(got, []byte("payload")) {
				t.Errorf("number %#x: %v", number, err)
			}
		}
	})
}

// Packets of one connection are framed in a row where they are alike, and one by one
// where they are not; what comes out is the same.
func TestRowsAreFramedLikeLonePackets(t *testing.T) {
	packets := func(c *Conn) (burst []Packet) {
		for i := range 200 {
			p := outgoing(c, OneRTT, bytes.Repeat([]byte{byte(i)}, i%9))
			p.Destination = bytes.Repeat([]byte{0xd0}, i%(MaxConnectionID+1))
			p.Spin = i%3 == 0
			if i%5 == 0 {
				p.NumberSize = i % 4
			}
			switch i % 16 {
			case 11:
				p.MinSize = 60
			case 12:
				p.Source = []byte{1}
			case 13:
				p.Token = []byte{1}
			case 14:
				p.Buf = p.Buf[:p.Off+p.Len+15]
			case 15:
				p.Buf, p.Off = p.Buf[p.Off-1:], 1
			}
			burst = append(burst, p)
		}
		return burst
	}
	row, lone := pair(t), pair(t)
	together, apart := packets(row.client), packets(lone.client)
	row.out.Seal(together)
	for i := range apart {
		lone.out.Seal(apart[i : i+1])
		a, b := &together[i], &apart[i]
		if a.Drop != b.Drop || a.Drop == record.DropNone && !bytes.Equal(a.Content(), b.Content()) {
			t.Fatalf("packet %d: %v in a row, %v alone\n%x\n%x", i, a.Drop, b.Drop, a.Content(), b.Content())
		}
		if !bytes.Equal(a.Buf, b.Buf) {
			t.Fatalf("packet %d: different bytes round it", i)
		}
	}
	if tally := row.out.Drops(); tally != lone.out.Drops() || tally[record.DropNone] < 100 || tally.Dropped() < 40 {
		t.Errorf("counted %v and %v", tally.ByName(), lone.out.Drops().ByName())
	}
}

// stranger is a datagram between those of a row that does not belong there.
type stranger struct {
	record.Datagram
	want record.Drop
}

func strangers(id []byte) map[string]stranger {
	other := bytes.Clone(id)
	other[len(other)-1] ^= 1
	long := append([]byte{0xe0, 0, 0, 0, 1, byte(len(id))}, id...)
	payload := make([]byte, 40)
	good := append(append([]byte{0x40}, id...), payload...)
	return map[string]stranger{
		"empty":            {datagram(nil), record.DropTruncated},
		"first byte only":  {datagram([]byte{0x40}), record.DropTruncated},
		"ID cut":           {datagram(append([]byte{0x40}, id[:len(id)-1]...)), record.DropTruncated},
		"no sample":        {datagram(append([]byte{0x40}, id...)), record.DropTruncated},
		"fixed bit 0":      {datagram(append(append([]byte{0}, id...), payload...)), record.DropMalformed},
		"another ID":       {datagram(append(append([]byte{0x40}, other...), payload...)), record.DropUnknownSession},
		"forged":           {datagram(good), record.DropUnauthentic},
		"long header":      {datagram(append(append(long, 0, 40), payload...)), record.DropEpoch},
		"too long":         {datagram(append(append([]byte{0x40}, id...), make([]byte, maxDatagram)...)), record.DropTooLong},
		"outside its Buf":  {record.Datagram{Buf: make([]byte, 4), Off: 1, Len: 4}, record.DropFailed},
		"behind its start": {record.Datagram{Buf: make([]byte, 4), Off: -1, Len: 4}, record.DropFailed},
		"long, outside":    {record.Datagram{Buf: good, Len: len(good) + 1}, record.DropFailed},
		"long, behind":     {record.Datagram{Buf: good, Off: -1, Len: len(good) - 1}, record.DropFailed},
		"long, beyond":     {record.Datagram{Buf: good, Off: len(good) + 1, Len: len(good)}, record.DropFailed},
	}
}

func TestRowsAreOpenedRoundStrangers(t *testing.T) {
	for _, size := range []int{1, 4, 7, 8, 16, 20} {
		id := bytes.Repeat([]byte{7}, size)
		for name, stranger := range strangers(id) {
			row, lone := newRow(t, id), newRow(t, id)
			burst := row.around(stranger.Datagram, id)
			compareOpened(t, fmt.Sprintf("%s, IDs of %d", name, size), row, lone, burst)
			if burst[4].Drop != stranger.want || burst[9].Drop != stranger.want {
				t.Errorf("%s, IDs of %d: %v, not %v", name, size, burst[4].Drop, stranger.want)
			}
		}
	}
}

// newRow is a link whose server has that ID, and whose Inbound has storage that short
// headers were in, which rows need.
func newRow(t *testing.T, id []byte) *link {
	l := newLinkWith(t, Version1, len(id))
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	l.in.Open(slices.Repeat([]record.Datagram{datagram(append([]byte{0x40}, make([]byte, 40)...))}, 64))
	l.add(l.server, fmt.Sprintf("%x", id))
	return l
}

// around are nine good datagrams with a stranger after the fourth and the eighth.
func (l *link) around(stranger record.Datagram, id []byte) (burst []record.Datagram) {
	for i := range 9 {
		p := outgoing(l.client, OneRTT, []byte{byte(i), 1, 2, 3, 4})
		p.Destination = id
		burst = append(burst, datagram(l.seal(p)))
		if i%4 == 3 {
			burst = append(burst, record.Datagram{Buf: bytes.Clone(stranger.Buf), Off: stranger.Off, Len: stranger.Len})
		}
	}
	return burst
}

// compareOpened opens a burst whole with one link and datagram by datagram with another.
func compareOpened(t *testing.T, name string, row, lone *link, burst []record.Datagram) {
	t.Helper()
	var want []Packet
	for i := range burst {
		d := burst[i]
		d.Buf = bytes.Clone(d.Buf)
		packets, _ := lone.in.Open([]record.Datagram{d})
		for _, p := range packets {
			p.From = i
			want = append(want, p)
		}
	}
	got, good := row.in.Open(burst)
	if len(got) != len(want) || good < 9 {
		t.Fatalf("%s: %d packets, not %d; %d good", name, len(got), len(want), good)
	}
	for i := range got {
		a, b := &got[i], &want[i]
		if a.Drop != b.Drop || a.Drop == record.DropNone && a.Number != b.Number || a.Type != b.Type || a.From != b.From || a.Size() != b.Size() ||
			!bytes.Equal(a.Destination, b.Destination) || a.Drop != record.DropFailed && !bytes.Equal(a.Content(), b.Content()) {
			t.Errorf("%s: packet %d is %+v, alone %+v", name, i, a, b)
		}
	}
	if row.in.Drops() != lone.in.Drops() {
		t.Errorf("%s: counted %v and %v", name, row.in.Drops().ByName(), lone.in.Drops().ByName())
	}
}

// A packet whose mask cannot be made, under keys of another engine, costs its neighbours
// nothing.
func TestRowsCloseUpOverAPacketWithoutMask(t *testing.T) {
	l := newLinkWith(t, Version1, 1)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	foreign, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	stranger := newConn(t, foreign, Version1, Server)
	if err := stranger.Install(OneRTT, ciphers.Opening, AES128GCM, secretOf(AES128GCM, 3)); err != nil {
		t.Fatal(err)
	}
	l.add(l.server, "01")
	l.add(stranger, "02")
	var burst []record.Datagram
	for i := range 12 {
		p := outgoing(l.client, OneRTT, bytes.Repeat([]byte{byte(i)}, 5+i))
		p.Destination = []byte{1}
		if i%4 == 1 {
			p.Destination = []byte{2}
		}
		burst = append(burst, datagram(l.seal(p)))
	}
	packets, n := l.in.Open(burst)
	for i := range packets {
		p, want := &packets[i], bytes.Repeat([]byte{byte(i)}, 5+i)
		if i%4 == 1 != (p.Drop == record.DropFailed) || p.Drop == record.DropNone && !bytes.Equal(p.Content(), want) {
			t.Errorf("packet %d: %v, %x", i, p.Drop, p.Content())
		}
	}
	if n != 9 {
		t.Errorf("%d opened", n)
	}
}

// The storage of a long header's packet shows nothing of it when a short one's comes there.
func TestShortHeadersForgetLongOnes(t *testing.T) {
	l := newLink(t, Version2)
	l.initial(clientChoice)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 3))
	l.add(l.server, "")
	for range 2 {
		p := outgoing(l.client, Initial, []byte("ping"))
		p.Source, p.Token = []byte{1, 2, 3}, []byte("token")
		long := datagram(l.seal(p))
		short := func() record.Datagram { return datagram(l.seal(outgoing(l.client, OneRTT, []byte("ping")))) }
		l.in.Open([]record.Datagram{short(), long})
		packets, n := l.in.Open([]record.Datagram{short(), short()})
		if h := packets[1].Header; n != 2 || h.Version != 0 || h.Source != nil || h.Token != nil || h.Versions != nil || packets[1].Conn != l.server {
			t.Errorf("%d good, %+v", n, h)
		}
	}
}
