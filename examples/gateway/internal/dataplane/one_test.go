package dataplane

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestBurstForOneAddress goes out as the same packets among others do.
func TestBurstForOneAddress(t *testing.T) {
	b := newBench(t)
	packet, other := ipv4("10.1.0.9", "10.2.3.4", 64, 100), ipv4("10.1.0.9", "10.2.3.5", 64, 100)
	number := uint32(0)
	for _, packets := range [][][]byte{{packet, packet, packet}, {packet, other, packet}, {other}, {packet, packet, packet}} {
		b.protected.out = nil
		for _, p := range packets {
			b.plain.in = append(b.plain.in, framed(plainMAC, hostMAC, p))
		}
		b.outward()
		if len(b.protected.out) != len(packets) {
			t.Fatalf("%d frames left: %v", len(b.protected.out), b.count.Out.Flow())
		}
		for i, f := range b.protected.out {
			number++
			if got := unseal(t, outKey, f[14:]); !bytes.Equal(got, aged(packets[i])) || binary.BigEndian.Uint32(f[38:]) != number {
				t.Errorf("packet %d, number %d: %x", i, binary.BigEndian.Uint32(f[38:]), got)
			}
		}
	}
	if flow := b.count.Out.Flow(); flow.Packets != 10 || flow.Bytes != 1000 || len(flow.Drops) != 0 {
		t.Errorf("%+v", flow)
	}
}

// TestWhatOfABurstForOneAddressIsNotSent is counted as among others.
func TestWhatOfABurstForOneAddressIsNotSent(t *testing.T) {
	b := newBench(t)
	long, good := ipv4("10.1.0.9", "10.2.3.4", 64, 1480), ipv4("10.1.0.9", "10.2.3.4", 64, 100)
	b.plain.in = [][]byte{framed(plainMAC, hostMAC, good), framed(plainMAC, hostMAC, long), framed(plainMAC, hostMAC, good)}
	b.outward()
	if len(b.protected.out) != 2 || len(b.plain.out) != 1 || binary.BigEndian.Uint16(b.plain.out[0][14+26:]) != 1446 {
		t.Errorf("%d frames left, %x", len(b.protected.out), b.plain.out)
	}
	nowhere := framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.9.9.9", 64, 100))
	b.plain.in = [][]byte{nowhere, nowhere}
	b.outward()
	flow := b.count.Out.Flow()
	if flow.Packets != 2 || flow.Bytes != 200 {
		t.Errorf("%+v", flow)
	}
	drops(t, flow.Drops, map[record.Drop]uint64{record.DropPathMTU: 1, record.DropUnknownSession: 2})
}

// TestReceivingWhileSending hands inward what outward received, and nothing twice.
func TestReceivingWhileSending(t *testing.T) {
	b := newBench(t)
	b.learn(t)
	b.worker.turns = true
	in, out := ipv4("10.2.3.4", "10.1.0.9", 64, 60), ipv4("10.1.0.9", "10.2.3.4", 64, 60)
	for number := range uint32(3) {
		b.protected.in = append(b.protected.in, framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, number+1, in)))
		if number != 1 { // without anything to send, inward receives for itself
			b.plain.in = append(b.plain.in, framed(plainMAC, hostMAC, out))
		}
		if sent := b.outward(); sent != (number != 1) || !b.inward() {
			t.Errorf("round %d: sent %v", number, sent)
		}
	}
	b.plain.in = [][]byte{framed(plainMAC, hostMAC, out)}
	if !b.outward() || b.inward() || b.outward() || b.inward() {
		t.Error("carried a burst once more")
	}
	b.protected.in = [][]byte{framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 9, in))}
	if b.outward() || !b.inward() {
		t.Error("nothing was sent, and nothing received")
	}
	if len(b.plain.out) != 4 || len(b.protected.out) != 3 {
		t.Errorf("%d in, %d out", len(b.plain.out), len(b.protected.out))
	}
	if in, out := b.count.In.Flow(), b.count.Out.Flow(); in.Packets != 4 || in.Bytes != 4*60 || out.Packets != 3 || out.Bytes != 3*60 {
		t.Errorf("counted %+v in and %+v out", in, out)
	}
}
