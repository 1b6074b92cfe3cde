package quicadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// smallest is the shortest packet that has a length: a Handshake of version 1 with empty
// IDs and nothing behind the length.
var smallest = []byte{0xe0, 0, 0, 0, 1, 0, 0, 0}

// crowded is a burst of datagrams full of the smallest packets.
func crowded(datagrams, size int) []record.Datagram {
	wire := bytes.Repeat(smallest, size/len(smallest))
	burst := make([]record.Datagram, datagrams)
	for i := range burst {
		burst[i] = record.Datagram{Buf: wire, Len: len(wire)}
	}
	return burst
}

// largest is the most bytes that a datagram of UDP over IPv4 has.
const largest = 65507

func TestUnknownConnectionEndsItsDatagram(t *testing.T) {
	l := newLinkWith(t, Version1, 8)
	burst := crowded(64, largest)
	packets, n := l.in.Open(burst)
	if n != 0 || len(packets) != len(burst) {
		t.Fatalf("%d packets, %d good", len(packets), n)
	}
	for i := range packets {
		p := &packets[i]
		if p.Drop != record.DropUnknownSession || burst[i].Drop != p.Drop || p.Size() != len(smallest) || p.Len != burst[i].Len {
			t.Fatalf("datagram %d: drop %v, %d of %d bytes", i, p.Drop, p.Len, burst[i].Len)
		}
	}
	if tally := l.in.Drops(); tally.Dropped() != 64 || tally[record.DropUnknownSession] != 64 {
		t.Errorf("counted %v", tally.ByName())
	}
}

// A datagram that came before its connection opens whole once it is there.
func TestUnknownDatagramIsHandedInAgainWhole(t *testing.T) {
	l, wire, _ := flight(t)
	l.table.Remove(nil)
	packets := l.open(wire)
	if len(packets) != 1 || packets[0].Drop != record.DropUnknownSession || !bytes.Equal(packets[0].Content(), wire) {
		t.Fatalf("%d packets, drop %v", len(packets), packets[0].Drop)
	}
	held := packets[0].Datagram
	l.add(l.client, "")
	if again, n := l.in.Open([]record.Datagram{held}); n != 3 {
		t.Errorf("%d of %d packets", n, len(again))
	}
}

func TestAnotherConnectionIDEndsItsDatagram(t *testing.T) {
	l := newLink(t, Version1)
	l.both(Handshake, AES128GCM, secretOf(AES128GCM, 1))
	l.add(l.server, "01")
	l.add(l.server, "02")
	var wire []byte
	for _, id := range []byte{1, 2, 1, 1} {
		p := outgoing(l.client, Handshake, []byte("abcd"))
		p.Destination = []byte{id}
		wire = append(wire, l.seal(p)...)
	}
	l.drops(wire, record.DropNone, record.DropMalformed)
}

func TestCoalescedPacketsAreCapped(t *testing.T) {
	l := newLink(t, Version1)
	l.both(Handshake, AES128GCM, secretOf(AES128GCM, 1))
	l.add(l.server, "")
	var wire []byte
	for range MaxCoalesced {
		wire = append(wire, l.seal(outgoing(l.client, Handshake, []byte("abcd")))...)
	}
	if packets := l.open(wire); len(packets) != MaxCoalesced || packets[MaxCoalesced-1].Drop != record.DropNone {
		t.Fatalf("%d packets", len(packets))
	}
	crowd := crowded(1, 1472)[0].Buf
	packets := l.open(append(bytes.Clone(wire), crowd...))
	if len(packets) != MaxCoalesced+1 {
		t.Fatalf("%d packets", len(packets))
	}
	if p := &packets[MaxCoalesced]; p.Drop != record.DropTooLong || p.Type != 0 || !bytes.Equal(p.Content(), crowd) {
		t.Errorf("the rest: drop %v, type %v, %d bytes", p.Drop, p.Type, p.Len)
	}
	if tally := l.in.Drops(); tally[record.DropTooLong] != 1 || tally[record.DropReplayed] != MaxCoalesced {
		t.Errorf("counted %v", tally.ByName())
	}
}

// The storage follows the burst up and down again, and a small burst does not keep the
// buffers of a large one.
func TestStorageIsBounded(t *testing.T) {
	l := newLink(t, Version1)
	l.add(l.server, "")
	const datagrams = 1000
	large, small := crowded(datagrams, 1472), crowded(1, 1472)
	if packets, _ := l.in.Open(large); len(packets) != datagrams*(MaxCoalesced+1) {
		t.Fatalf("%d packets", len(packets))
	}
	if n := cap(l.in.packets); n > 2*datagrams*(MaxCoalesced+1) {
		t.Errorf("a large burst has storage for %d packets", n)
	}
	if allocs := testing.AllocsPerRun(3, func() { l.in.Open(large) }); allocs != 0 {
		t.Errorf("a large burst again: %v allocations", allocs)
	}
	l.in.Open(small)
	if n := cap(l.in.packets); n > keptPackets {
		t.Errorf("a small burst has storage for %d packets", n)
	}
	l.in.Open(crowded(8, 1472))
	l.in.Open(small)
	for i, p := range l.in.packets[:cap(l.in.packets)] {
		if i >= len(l.in.packets) && (p.Buf != nil || p.Conn != nil || p.Destination != nil) {
			t.Fatalf("packet %d of an earlier burst is kept", i)
		}
	}
}
