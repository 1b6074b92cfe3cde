package quicadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// rowOf are n packets of the client to the connection ID of a row.
func (l *link) rowOf(n int, payload []byte) (burst []Packet) {
	for range n {
		p := outgoing(l.client, OneRTT, payload)
		p.Destination = rowID
		burst = append(burst, p)
	}
	return burst
}

// Descriptors are used again with the keys of the phase and of the connection at hand.
func TestRowsAfterKeyUpdates(t *testing.T) {
	l := newRow(t, rowID)
	l.client.Confirm()
	other := newRow(t, rowID)
	other.out = l.out
	for phase := range uint64(4) {
		for _, l := range []*link{l, other, l} {
			burst := l.rowOf(8, []byte("payload"))
			if n := l.out.Seal(burst); n != 8 {
				t.Fatalf("phase %d: sealed %d, %v", phase, n, burst[0].Drop)
			}
			for i := range burst {
				l.opens(burst[i].Content(), burst[i].Number, []byte("payload"))
			}
		}
		if l.client.Acknowledged(OneRTT, 16*phase) != nil || l.client.Update() != nil {
			t.Fatal("cannot update")
		}
	}
}

func TestGreasedPacketsOfARow(t *testing.T) {
	l := newRow(t, rowID)
	l.table.AcceptGreased()
	burst := l.rowOf(5, []byte("payload"))
	burst[1].Greased, burst[3].Greased = true, true
	if n := l.out.Seal(burst); n != 5 {
		t.Fatalf("sealed %d", n)
	}
	for i := range burst {
		if wire := burst[i].Content(); wire[0]&fixedBit == 0 != (i%2 == 1) {
			t.Errorf("packet %d starts with %02x", i, wire[0])
		}
		l.opens(burst[i].Content(), uint64(i), []byte("payload"))
	}
}

// No packet is longer than a datagram can be.
func TestLongestPacketsOfARow(t *testing.T) {
	const longest = maxDatagram - 1 - 8 - 1 - TagSize
	l := newRow(t, rowID)
	for n := longest - 30; n < longest+30; n++ {
		burst := l.rowOf(2, make([]byte, n))
		want, sealed := record.DropNone, l.out.Seal(burst)
		if n > longest {
			want = record.DropTooLong
		}
		if burst[0].Drop != want || burst[1].Drop != want || sealed != 0 != (n <= longest) {
			t.Fatalf("%d bytes of at most %d: %v, %v", n, longest, burst[0].Drop, burst[1].Drop)
		}
		if sealed == 2 {
			l.opens(burst[1].Content(), burst[1].Number, make([]byte, n))
		}
		if err := l.client.Acknowledged(OneRTT, l.client.spaces[spaceApplication].next-1); err != nil {
			t.Fatal(err)
		}
	}
}

// A row that the engine refuses gets its borders back, whatever was sealed before and
// whatever did not get as far.
func TestRowThatTheEngineRefuses(t *testing.T) {
	l := newRow(t, rowID)
	padded := l.rowOf(8, nil)
	if n := l.out.Seal(padded); n != 8 {
		t.Fatalf("sealed %d", n)
	}
	l.client.seal[OneRTT].key.Close()
	burst := l.rowOf(8, []byte("payload"))
	burst[2].Off = 1
	if n := l.out.Seal(burst); n != 0 {
		t.Fatalf("sealed %d", n)
	}
	for i := range burst {
		p, off, want := &burst[i], 128, record.DropClosed
		if i == 2 {
			off, want = 1, record.DropHeadroom
		}
		if p.Drop != want || p.Off != off || p.Len != len("payload") || i != 2 && !bytes.Equal(p.Content(), []byte("payload")) {
			t.Errorf("packet %d: %v, %d bytes at %d", i, p.Drop, p.Len, p.Off)
		}
	}
}

// wireOf are the datagrams of sealed packets.
func wireOf(burst []Packet) (wire []record.Datagram) {
	for i := range burst {
		wire = append(wire, burst[i].Datagram)
	}
	return wire
}

// Keys that are discarded between the masks and the numbers open nothing.
func TestKeysDiscardedInTheMiddle(t *testing.T) {
	l := newRow(t, rowID)
	burst := l.rowOf(4, []byte("payload"))
	l.out.Seal(burst)
	l.in.split(wireOf(burst))
	n := l.in.locate(l.in.packets)
	l.engine.Mask(l.in.masks[:ciphers.MaskSize*n], l.in.burst[:n])
	l.server.Discard(OneRTT)
	if left := l.in.unmask(l.in.packets, n); n != 4 || left != 0 {
		t.Errorf("%d of %d are left", left, n)
	}
	for i := range l.in.packets {
		if drop := l.in.packets[i].Drop; drop != record.DropEpoch {
			t.Errorf("packet %d: %v", i, drop)
		}
	}
}

// A row ends where the connection does whose lock is held: the next one's is not, and
// another Inbound may be at work on it.
func TestRowsEndWithTheirConnection(t *testing.T) {
	l, other := newRow(t, rowID), newRow(t, rowID)
	setNext(other.client, 9, 8)
	heard(other.server, 8)
	burst := append(l.rowOf(1, []byte("payload")), other.rowOf(4, []byte("payload"))...)
	l.out.Seal(burst)
	l.in.split(wireOf(burst))
	for i := range l.in.packets[1:] {
		l.in.packets[1+i].Conn = other.server
	}
	n := l.in.locate(l.in.packets)
	l.engine.Mask(l.in.masks[:ciphers.MaskSize*n], l.in.burst[:n])
	unmasked, _ := l.in.unmaskRow(l.in.packets, 0, n, 0)
	l.in.unmaskRow(l.in.packets, 1, n, 1)
	l.engine.Open(l.in.burst[:n])
	settled := l.in.settleRow(l.in.packets, 0, n)
	if unmasked != 1 || settled != 1 || other.server.opening != 4 {
		t.Errorf("rows of %d and %d, %d of the other connection in work", unmasked, settled, other.server.opening)
	}
}

// A packet of a row whose mask failed is left out, and does not count as a forgery.
func TestMaskThatFailedInARow(t *testing.T) {
	l := newRow(t, rowID)
	burst := l.rowOf(5, []byte("payload"))
	l.out.Seal(burst)
	l.in.split(wireOf(burst))
	n := l.in.locate(l.in.packets)
	l.engine.Mask(l.in.masks[:ciphers.MaskSize*n], l.in.burst[:n])
	l.in.burst[2].Status = ciphers.StatusKeyClosed
	left := l.in.unmask(l.in.packets, n)
	opened := l.engine.Open(l.in.burst[:left])
	l.in.settle(l.in.packets, left)
	if left != 4 || opened != 4 || l.server.Failed() != 0 || l.in.packets[2].Drop != record.DropClosed {
		t.Errorf("%d left, %d opened, %d failed, %v", left, opened, l.server.Failed(), l.in.packets[2].Drop)
	}
}
