package quicadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// flight is what a server sends first: an Initial, a Handshake and a 1-RTT packet in one
// datagram.
func flight(t testing.TB) (l *link, wire []byte, ends [3]int) {
	l = newLink(t, Version1)
	l.initial(clientChoice)
	l.both(Handshake, AES256GCM, secretOf(AES256GCM, 1))
	l.both(OneRTT, AES256GCM, secretOf(AES256GCM, 2))
	l.add(l.client, "")
	burst := []Packet{
		outgoing(l.server, Initial, []byte("initial")), outgoing(l.server, Handshake, []byte("handshake")),
		outgoing(l.server, OneRTT, []byte("data")),
	}
	if l.out.Seal(burst) != 3 {
		t.Fatal("not sealed")
	}
	for i := range burst {
		wire = append(wire, burst[i].Content()...)
		ends[i] = len(wire)
	}
	return l, wire, ends
}

func TestCoalescedDatagramIsSplit(t *testing.T) {
	l, wire, _ := flight(t)
	burst := []record.Datagram{datagram(wire)}
	packets, n := l.in.Open(burst)
	if n != 3 || len(packets) != 3 || burst[0].Drop != record.DropNone {
		t.Fatalf("%d of %d packets", n, len(packets))
	}
	for i, want := range []string{"initial", "handshake", "data"} {
		if p := &packets[i]; string(p.Content()) != want || p.From != 0 || p.Number != 0 {
			t.Errorf("packet %d: %q", i, p.Content())
		}
	}
}

func TestOneBadPacketLeavesItsNeighbours(t *testing.T) {
	for bad := range 3 {
		l, wire, ends := flight(t)
		wire[ends[bad]-1] ^= 1
		want := make([]record.Drop, 3)
		want[bad] = record.DropUnauthentic
		l.drops(wire, want...)
		if l.client.Failed() != 1 {
			t.Errorf("counted %d forgeries", l.client.Failed())
		}
	}
}

func TestRubbishBehindAPacket(t *testing.T) {
	l, wire, ends := flight(t)
	l.drops(append(bytes.Clone(wire[:ends[0]]), make([]byte, 50)...), record.DropNone, record.DropMalformed)
}

func TestPacketsForAnotherConnectionInTheDatagram(t *testing.T) {
	l := newLink(t, Version1)
	l.both(Handshake, AES128GCM, secretOf(AES128GCM, 1))
	l.add(l.client, "01")
	l.add(l.server, "02")
	a, b := outgoing(l.server, Handshake, []byte("aaaa")), outgoing(l.client, Handshake, []byte("bbbb"))
	a.Destination, b.Destination = []byte{1}, []byte{2}
	wire := append(l.seal(a), l.seal(b)...)
	l.drops(wire, record.DropNone, record.DropMalformed)
}

func TestKeysThatComeWithTheFirstPacketOpenTheSecond(t *testing.T) {
	_, wire, _ := flight(t)
	l := newLink(t, Version1)
	l.initial(clientChoice)
	l.add(l.client, "")
	packets := l.open(wire)
	if packets[0].Drop != record.DropNone || packets[1].Drop != record.DropEpoch || packets[2].Drop != record.DropEpoch {
		t.Fatal("keys from nowhere")
	}
	held := []record.Datagram{packets[1].Datagram, packets[2].Datagram}
	l.both(Handshake, AES256GCM, secretOf(AES256GCM, 1))
	l.both(OneRTT, AES256GCM, secretOf(AES256GCM, 2))
	if _, n := l.in.Open(held); n != 2 {
		t.Errorf("%d of 2 held packets open", n)
	}
}

// More packets than one burst of the engine, from few datagrams.
func TestManyPacketsInFewDatagrams(t *testing.T) {
	l := newLink(t, Version2)
	l.both(Handshake, ChaCha20Poly1305, secretOf(ChaCha20Poly1305, 1))
	l.add(l.server, "")
	var burst []record.Datagram
	for range 60 {
		var wire []byte
		for range MaxCoalesced {
			p := outgoing(l.client, Handshake, []byte("abc"))
			p.NumberSize = 2 // one byte reaches no further than 128 from what was opened
			wire = append(wire, l.seal(p)...)
		}
		burst = append(burst, datagram(wire))
	}
	if packets, n := l.in.Open(burst); n != 60*MaxCoalesced || len(packets) != n {
		t.Errorf("%d of %d packets", n, len(packets))
	}
}
