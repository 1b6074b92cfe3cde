package engine

import (
	"runtime"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// BenchmarkQueue has 16 bursts of 32 packets of 64 bytes in a queue at a time. What the
// queue costs shows beside Seal without one.
func BenchmarkQueue(b *testing.B) {
	e := mustNew(b, Config{IgnoreEnvironment: true})
	k := mustKey(b, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	b.Run("without", func(b *testing.B) {
		ps := sealable(k, 32)
		for b.Loop() {
			e.Seal(ps)
		}
		perPacket(b)
	})
	b.Run("with", func(b *testing.B) {
		q := mustQueue(b, e, QueueConfig{Depth: 16})
		var done [16]Work
		for i := range done {
			done[i] = Work{Op: OpSeal, Packets: sealable(k, 32)}
			submit(b, q, done[i])
		}
		for b.Loop() {
			n := q.Poll(done[:1])
			for ; n == 0; n = q.Poll(done[:1]) {
				runtime.Gosched()
			}
			submit(b, q, done[0])
		}
		perPacket(b)
	})
}

func perPacket(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(32*b.N), "ns/packet")
}
