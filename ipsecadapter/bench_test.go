package ipsecadapter

import (
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

var benchSizes = []int{64, 256, 1350, 1450}

// BenchmarkProtect seals bursts of 32 in a tunnel, of one SA and of 32.
func BenchmarkProtect(b *testing.B) {
	for _, size := range benchSizes {
		for _, sas := range []int{1, 32} {
			b.Run(fmt.Sprintf("%d/SAs=%d", size, sas), func(b *testing.B) { benchProtect(b, size, sas) })
		}
	}
}

func benchProtect(b *testing.B, size, sas int) {
	e := newEngine(b)
	packet := ipPacket(host4[0], host4[1], 200, pattern(size-20))
	burst, by := make([]record.Datagram, 32), make([]*OutboundSA, 32)
	for i := range burst {
		if i < sas {
			a := association4(AES128GCM16)
			a.SPI += uint32(i)
			sa, err := NewOutboundSA(e, OutboundConfig{Association: a})
			must(b, err)
			by[i] = sa
		}
		by[i] = by[i%sas]
		burst[i] = datagram(packet, 64, 64)
	}
	out := NewOutbound(e)
	b.SetBytes(int64(32 * size))
	for b.Loop() {
		for i := range burst {
			burst[i].Off, burst[i].Len = 64, size
			copy(burst[i].Buf[64:72], packet) // what sealing in place overwrote and framing reads
		}
		if n := out.Protect(burst, by); n != 32 {
			b.Fatal(causes(burst))
		}
	}
	perPacket(b)
}

// BenchmarkProtectMixed seals bursts of 32 packets of one SA, no two neighbours of one length.
func BenchmarkProtectMixed(b *testing.B) {
	e := newEngine(b)
	sa, err := NewOutboundSA(e, OutboundConfig{Association: association4(AES128GCM16)})
	must(b, err)
	burst, by, sizes := make([]record.Datagram, 32), make([]*OutboundSA, 32), make([]int, 32)
	packets := make([][]byte, 32)
	for i := range burst {
		sizes[i] = 64 + i*5%23
		packets[i] = ipPacket(host4[0], host4[1], 200, pattern(sizes[i]-20))
		burst[i], by[i] = datagram(packets[i], 64, 64), sa
	}
	out := NewOutbound(e)
	for b.Loop() {
		for i := range burst {
			burst[i].Off, burst[i].Len = 64, sizes[i]
			copy(burst[i].Buf[64:72], packets[i])
		}
		if n := out.Protect(burst, by); n != 32 {
			b.Fatal(causes(burst))
		}
	}
	perPacket(b)
}

// BenchmarkEngine is the engine's own work for BenchmarkProtect: the same bytes, no framing.
func BenchmarkEngine(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchEngine(b, size) })
	}
}

func benchEngine(b *testing.B, size int) {
	e := newEngine(b)
	key, err := e.NewKey(engine.KeySpec{Algorithm: ciphers.AES128GCM, Direction: ciphers.Sealing, Key: make([]byte, 16),
		Nonce: ciphers.NonceExplicit, IV: make([]byte, 4)})
	must(b, err)
	packets := make([]engine.Packet, 32)
	for i := range packets {
		packets[i] = engine.Packet{Buf: make([]byte, 16+size+20), Key: key, Off: 16, IVOff: 8, AADLen: 8, Len: uint32(size + 4)}
	}
	number := uint64(0)
	b.SetBytes(int64(32 * size))
	for b.Loop() {
		for i := range packets {
			number++
			packets[i].Number = number
		}
		if e.Seal(packets) != 32 {
			b.Fatal("not sealed")
		}
	}
	perPacket(b)
}

// BenchmarkUnprotect opens bursts of 32 in a tunnel.
func BenchmarkUnprotect(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchUnprotect(b, size) })
	}
}

func benchUnprotect(b *testing.B, size int) {
	a := association4(AES128GCM16)
	p := newPair(b, OutboundConfig{Association: a}, InboundConfig{Association: a, NoReplay: true})
	var packets [][]byte
	for range 32 {
		packets = append(packets, ipPacket(host4[0], host4[1], 200, pattern(size-20)))
	}
	sealed := p.seal(b, packets...)
	burst := make([]record.Datagram, 32)
	for i := range burst {
		burst[i].Buf = make([]byte, sealed[i].Len)
	}
	b.SetBytes(int64(32 * size))
	for b.Loop() {
		for i := range burst {
			burst[i].Off, burst[i].Len = 0, sealed[i].Len
			copy(burst[i].Buf, sealed[i].Content())
		}
		if n := p.in.Unprotect(burst, nil); n != 32 {
			b.Fatal(causes(burst))
		}
	}
	perPacket(b)
}

func perPacket(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(32*b.N), "ns/packet")
}

// BenchmarkLookup finds one of 10,000 SAs.
func BenchmarkLookup(b *testing.B) {
	db := NewDatabase()
	for i := range 10000 {
		must(b, db.Add(withSPI(b, uint32(256+i*77))))
	}
	i := uint32(0)
	for b.Loop() {
		i = (i + 7919) % 10000
		if db.Lookup(256+i*77) == nil {
			b.Fatal("not found")
		}
	}
}
