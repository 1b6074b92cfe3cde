package quicadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

func FuzzHeader(f *testing.F) {
	for _, name := range []string{"rfc9001_client.hex", "rfc9001_server.hex", "rfc9369_client.hex", "rfc9369_server.hex"} {
		f.Add(readHex(f, name), uint8(8))
	}
	for _, a := range appendices {
		f.Add(unhex(f, a.retry), uint8(0))
		f.Add(unhex(f, a.chacha), uint8(0))
	}
	f.Add([]byte{0x80, 0, 0, 0, 0, 1, 2, 1, 3, 0x6b, 0x33, 0x43, 0xcf}, uint8(20))
	f.Add([]byte{0xc0, 0xfa, 0xce, 0xb0, 0x0c, 0, 0}, uint8(4))
	f.Fuzz(func(t *testing.T, b []byte, idSize uint8) {
		var h Header
		size := int(idSize % (MaxConnectionID + 1))
		strict := h.Parse(b, size)
		drop := h.ParseGreased(b, size)
		if (strict == record.DropNone) != (drop == record.DropNone && !h.Greased) {
			t.Fatalf("%v, with a greased bit %v: %v", strict, h.Greased, drop)
		}
		if drop != record.DropNone {
			return
		}
		switch {
		case h.Type == 0 || h.Type >= numTypes:
			t.Fatalf("type %d", h.Type)
		case h.Size() < 1 || h.Size() > len(b):
			t.Fatalf("size %d of %d", h.Size(), len(b))
		case h.Type.HasKeys() && (h.numberOff < 1 || h.numberOff > h.size):
			t.Fatalf("number at %d of %d", h.numberOff, h.size)
		case h.Type == VersionNegotiation && len(h.Versions) == 0, h.Type == Retry && len(h.Token) == 0:
			t.Fatal("empty list or token")
		}
	})
}

// FuzzDatagram opens whatever comes between two good packets, which must still open.
func FuzzDatagram(f *testing.F) {
	_, wire, ends := flight(f)
	f.Add(wire)
	f.Add(wire[:ends[1]])
	f.Add(append(bytes.Clone(wire[:ends[0]]), make([]byte, 40)...))
	f.Add(append(bytes.Clone(wire[:ends[0]]), wire[:ends[0]]...))
	f.Add(unhex(f, appendices[0].retry))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, wire, _ := flight(t)
		l.both(ZeroRTT, AES128GCM, secretOf(AES128GCM, 1))
		good := l.seal(outgoing(l.server, OneRTT, []byte("good")))
		canary := append(bytes.Clone(b), 0xa5, 0x5a)
		burst := []record.Datagram{datagram(wire), {Buf: canary, Len: len(b)}, datagram(good)}
		packets, _ := l.in.Open(burst)
		if canary[len(b)] != 0xa5 || canary[len(b)+1] != 0x5a {
			t.Fatal("bytes behind the datagram were written")
		}
		for i := range packets {
			if p := &packets[i]; p.From != 1 && p.Drop != record.DropNone && !bytes.Equal(b, good) {
				t.Fatalf("neighbour %d: %v", p.From, p.Drop)
			} else if !p.Valid() {
				t.Fatal("a content outside its buffer")
			}
		}
	})
}

// FuzzRow puts whatever comes between the packets of a row, which must be opened as if
// each came alone.
func FuzzRow(f *testing.F) {
	id := []byte("8 bytes.")
	for _, d := range strangers(id) {
		if len(d.Buf) < 1000 && d.Valid() {
			f.Add(d.Content(), false)
		}
	}
	f.Add(append([]byte{0}, id...), true)
	f.Fuzz(func(t *testing.T, b []byte, greased bool) {
		row, lone := newRow(t, id), newRow(t, id)
		if greased {
			row.table.AcceptGreased()
			lone.table.AcceptGreased()
		}
		compareOpened(t, "fuzz", row, lone, row.around(datagram(b), id))
	})
}

// FuzzSealRow puts whatever a caller may hand in between two packets of a row, which must be
// sealed as if each came alone.
func FuzzSealRow(f *testing.F) {
	f.Add(64, 20, 128, uint8(8), 0, 0, uint8(0))
	f.Add(9, 0, 25, uint8(0), 4, 40, uint8(1))
	f.Add(-1, -1, 0, uint8(21), -1, -1, uint8(2))
	f.Add(64, 65535, 1<<17-1, uint8(20), 5, 1<<16, uint8(4))
	f.Fuzz(func(t *testing.T, off, size, room int, idSize uint8, numberSize, minSize int, flags uint8) {
		id := make([]byte, idSize%24)
		odd := func(c *Conn) Packet {
			return Packet{
				Datagram: record.Datagram{Buf: make([]byte, uint(room)%(1<<17)), Off: off, Len: size}, Conn: c,
				Header:     Header{Type: OneRTT, Destination: id, Spin: flags&1 != 0, Greased: flags&2 != 0, Source: make([]byte, flags>>2&1)},
				NumberSize: numberSize, MinSize: minSize,
			}
		}
		row, lone := pair(t), pair(t)
		var bursts [2][]Packet
		for i, c := range []*Conn{row.client, lone.client} {
			good := outgoing(c, OneRTT, []byte("good"))
			good.Destination = id[:min(len(id), MaxConnectionID)]
			other := good
			other.Buf = bytes.Clone(good.Buf)
			bursts[i] = []Packet{good, odd(c), other}
		}
		row.out.Seal(bursts[0])
		for i := range bursts[1] {
			lone.out.Seal(bursts[1][i : i+1])
		}
		for i := range bursts[0] {
			a, b := &bursts[0][i], &bursts[1][i]
			if a.Drop != b.Drop || a.Off != b.Off || a.Len != b.Len || a.Number != b.Number || !bytes.Equal(a.Buf, b.Buf) {
				t.Fatalf("packet %d: %v at %d, alone %v at %d", i, a.Drop, a.Off, b.Drop, b.Off)
			}
		}
		if bursts[0][0].Drop != record.DropNone || bursts[0][2].Drop != record.DropNone {
			t.Fatal("a neighbour was dropped")
		}
	})
}
