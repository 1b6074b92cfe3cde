package engine

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

var benchSizes = []int{64, 256, 1350, 1450, 8192}

// benchBurst is 32 packets of a size, their plaintext apart.
func benchBurst(k *Key, size int) []Packet {
	ps := make([]Packet, 32)
	for i := range ps {
		ps[i] = Packet{Buf: make([]byte, 20+size+16), Plain: make([]byte, size), Key: k, Off: 20, Len: uint32(size), AADLen: 20}
	}
	return ps
}

// eachBench runs a benchmark of every AEAD and size on the best backend.
func eachBench(b *testing.B, d ciphers.Direction, run func(b *testing.B, e *Engine, ps []Packet)) {
	e := mustNew(b, Config{})
	for _, alg := range packetAEADs() {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%v/%d", alg, size), func(b *testing.B) {
				ps := benchBurst(mustKey(b, e, specOf(alg, ciphers.Sealing)), size)
				if d == ciphers.Opening {
					e.Seal(ps)
					openable(ps, mustKey(b, e, specOf(alg, d)))
				}
				b.SetBytes(int64(len(ps) * size))
				b.ReportAllocs()
				run(b, e, ps)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ps)), "ns/packet")
			})
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	eachBench(b, ciphers.Sealing, func(b *testing.B, e *Engine, ps []Packet) {
		number := uint64(0)
		for b.Loop() {
			for i := range ps {
				number++
				ps[i].Number = number
			}
			if e.Seal(ps) != len(ps) {
				b.Fatal(ps[0].Status)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	eachBench(b, ciphers.Opening, func(b *testing.B, e *Engine, ps []Packet) {
		for b.Loop() {
			if e.Open(ps) != len(ps) {
				b.Fatal(ps[0].Status)
			}
		}
	})
}

func BenchmarkMask(b *testing.B) {
	e := mustNew(b, Config{})
	masks := make([]byte, 16*32)
	for _, alg := range packetAlgorithms() {
		if !alg.IsMask() {
			continue
		}
		b.Run(alg.String(), func(b *testing.B) {
			ps := benchBurst(nil, 64)
			k := mustKey(b, e, specOf(alg, 0))
			for i := range ps {
				ps[i].MaskKey = k
			}
			b.ReportAllocs()
			for b.Loop() {
				if e.Mask(masks, ps) != len(ps) {
					b.Fatal(ps[0].Status)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ps)), "ns/packet")
		})
	}
}

// BenchmarkAEAD seals one message a call, beside the library.
func BenchmarkAEAD(b *testing.B) {
	e := mustNew(b, Config{})
	key := make([]byte, 16)
	own, err := e.AEAD(ciphers.AES128GCM, key)
	if err != nil {
		b.Fatal(err)
	}
	for name, a := range map[string]cipher.AEAD{"engine": own, "library": libraryAEAD(b, ciphers.AES128GCM, key)} {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				nonce, plain, aad, dst := make([]byte, 12), make([]byte, size), make([]byte, 20), make([]byte, 0, size+16)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					a.Seal(dst, nonce, plain, aad)
				}
			})
		}
	}
}

// BenchmarkEmptyBurst is what a burst costs in the engine alone.
func BenchmarkEmptyBurst(b *testing.B) {
	fast := fake(b, "nothing", 1, ciphers.AES128GCM)
	idle := &idle{AEAD: fast.AEADs[ciphers.AES128GCM].(*spy).AEAD}
	fast.AEADs[ciphers.AES128GCM] = idle
	e := only(b, fast)
	idle.on = true
	for _, n := range []int{1, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ps := sealable(mustKey(b, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), n)
			for b.Loop() {
				e.Seal(ps)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/packet")
		})
	}
}

// idle does nothing once it is on.
type idle struct {
	ciphers.AEAD
	on bool
}

func (i *idle) Seal(b ciphers.Burst) int {
	if !i.on {
		return i.AEAD.Seal(b)
	}
	for _, at := range b.Index {
		b.Packets[at].Status = ciphers.StatusOK
	}
	return len(b.Index)
}
