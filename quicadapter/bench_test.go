package quicadapter

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// A burst of 32 sealed by a client and opened by a server, in place.
func BenchmarkSealOpen(b *testing.B) {
	for _, size := range []int{64, 256, 1350, 1450, 8192} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchmarkSealOpen(b, size, 32) })
	}
}

func benchmarkSealOpen(b *testing.B, size, burst int) {
	l := newLinkWith(b, Version1, 8)
	l.both(OneRTT, AES128GCM, secretOf(AES128GCM, 1))
	l.client.Confirm()
	id := []byte("8 bytes.")
	l.add(l.server, fmt.Sprintf("%x", id))
	packets, wire := make([]Packet, burst), make([]record.Datagram, burst)
	for i := range packets {
		packets[i] = outgoing(l.client, OneRTT, make([]byte, size))
		packets[i].Destination = id
	}
	off := packets[0].Off
	b.SetBytes(int64(size * burst))
	b.ReportAllocs()
	for b.Loop() {
		for i := range packets {
			packets[i].Off, packets[i].Len = off, size
		}
		if l.out.Seal(packets) != burst {
			b.Fatal(packets[0].Drop)
		}
		for i := range packets {
			wire[i] = packets[i].Datagram
		}
		if _, ok := l.in.Open(wire); ok != burst {
			b.Fatal("not opened")
		}
		if err := l.client.Acknowledged(OneRTT, packets[burst-1].Number); err != nil {
			b.Fatal(err)
		}
		if l.client.UpdateDue() {
			if err := l.client.Update(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N*burst), "ns/packet")
}
