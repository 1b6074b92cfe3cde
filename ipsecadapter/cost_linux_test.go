package ipsecadapter

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// BenchmarkOverEngine is what an ESP tunnel costs beyond the engine's own work on the same
// bytes, in bursts of 32: the median of differences between runs that alternate, in the
// thread's own time.
func BenchmarkOverEngine(b *testing.B) {
	for _, size := range []int{64, 1440} {
		b.Run(fmt.Sprintf("seal/%d", size), func(b *testing.B) { compare(b, engineSeals(b, size, 1), tunnelSeals(b, size, 1)) })
		b.Run(fmt.Sprintf("seal/%d-of-32-SAs", size), func(b *testing.B) { compare(b, engineSeals(b, size, 32), tunnelSeals(b, size, 32)) })
		b.Run(fmt.Sprintf("open/%d", size), func(b *testing.B) { compare(b, engineOpens(b, size), tunnelOpens(b, size)) })
	}
}

// turn is how many bursts run before the other side does.
const turn = 100

func compare(b *testing.B, engine, tunnel func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var alone, more []float64
	for b.Loop() {
		a := threadTime(engine)
		t := threadTime(tunnel)
		alone, more = append(alone, a), append(more, t-a)
	}
	b.ReportMetric(median(alone), "engine-ns/packet")
	b.ReportMetric(median(more), "more-ns/packet")
	b.ReportMetric(0, "ns/op")
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// threadTime is the nanoseconds a packet that a turn takes.
func threadTime(burst func()) float64 {
	var from, to unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &from)
	for range turn {
		burst()
	}
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &to)
	return float64(to.Nano()-from.Nano()) / (turn * 32)
}

// engineSeals seals what tunnelSeals does, ready framed. Both put back the plaintext that sealing
// in place overwrote.
func engineSeals(b *testing.B, size, keys int) func() {
	e := newEngine(b)
	var all []*engine.Key
	for range keys {
		all = append(all, engineKey(b, e, ciphers.Sealing))
	}
	packet := ipPacket(host4[0], host4[1], 200, pattern(size-20))
	packets := make([]engine.Packet, 32)
	for i := range packets {
		packets[i] = engine.Packet{Buf: make([]byte, 16+size+20), Key: all[i%keys], Off: 16, IVOff: 8, AADLen: 8, Len: uint32(size + 4)}
	}
	number := uint64(0)
	return func() {
		for i := range packets {
			number++
			packets[i].Number = number
			copy(packets[i].Buf[16:], packet)
		}
		if e.Seal(packets) != 32 {
			b.Fatal("not sealed")
		}
	}
}

func engineKey(b *testing.B, e *engine.Engine, d ciphers.Direction) *engine.Key {
	key, err := e.NewKey(engine.KeySpec{Algorithm: ciphers.AES128GCM, Direction: d, Key: keyOf(AES128GCM16)[:16],
		Nonce: ciphers.NonceExplicit, IV: keyOf(AES128GCM16)[16:]})
	must(b, err)
	return key
}

func tunnelSeals(b *testing.B, size, sas int) func() {
	e := newEngine(b)
	packet := ipPacket(host4[0], host4[1], 200, pattern(size-20))
	burst, by := make([]record.Datagram, 32), make([]*OutboundSA, 32)
	for i := range burst {
		burst[i] = datagram(packet, 64, 64)
		if i < sas {
			a := association4(AES128GCM16)
			a.SPI += uint32(i)
			sa, err := NewOutboundSA(e, OutboundConfig{Association: a})
			must(b, err)
			by[i] = sa
		}
		by[i] = by[i%sas]
	}
	out := NewOutbound(e)
	return func() {
		for i := range burst {
			burst[i].Off, burst[i].Len = 64, size
			copy(burst[i].Buf[64:], packet)
		}
		if out.Protect(burst, by) != 32 {
			b.Fatal(causes(burst))
		}
	}
}

// sealedBurst is a burst for the SA of association4.
func sealedBurst(b *testing.B, size int) (p *pair, sealed []record.Datagram) {
	a := association4(AES128GCM16)
	p = newPair(b, OutboundConfig{Association: a}, InboundConfig{Association: a, NoReplay: true})
	var packets [][]byte
	for range 32 {
		packets = append(packets, ipPacket(host4[0], host4[1], 200, pattern(size-20)))
	}
	return p, p.seal(b, packets...)
}

func engineOpens(b *testing.B, size int) func() {
	e := newEngine(b)
	key := engineKey(b, e, ciphers.Opening)
	_, sealed := sealedBurst(b, size)
	packets := make([]engine.Packet, 32)
	for i := range packets {
		esp := sealed[i].Content()[20:]
		packets[i] = engine.Packet{Buf: make([]byte, len(esp)), Key: key, Off: 16, IVOff: 8, AADLen: 8, Len: uint32(len(esp) - 16)}
	}
	return func() {
		for i := range packets {
			copy(packets[i].Buf, sealed[i].Content()[20:])
		}
		if e.Open(packets) != 32 {
			b.Fatal("not opened")
		}
	}
}

func tunnelOpens(b *testing.B, size int) func() {
	p, sealed := sealedBurst(b, size)
	burst := make([]record.Datagram, 32)
	for i := range burst {
		burst[i].Buf = make([]byte, sealed[i].Len)
	}
	return func() {
		for i := range burst {
			burst[i].Off, burst[i].Len = 0, sealed[i].Len
			copy(burst[i].Buf, sealed[i].Content())
		}
		if p.in.Unprotect(burst, nil) != 32 {
			b.Fatal(causes(burst))
		}
	}
}
