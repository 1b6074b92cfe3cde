package dtlsadapter

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/record"
)

// flow moves n records of a size from one side to the other and returns when all
// are there.
type flow func(n int)

// onePerCall writes and reads record by record, as any net.Conn does. A few records
// are on their way at a time, so that not every one waits for two goroutines to wake.
func onePerCall(b *testing.B, from, to net.Conn, size int) flow {
	payload, buffer := payloadOf(size), make([]byte, size)
	return func(n int) {
		for ; n > 0; n -= 32 {
			for range min(n, 32) {
				if _, err := from.Write(payload); err != nil {
					b.Fatal(err)
				}
			}
			for range min(n, 32) {
				if _, err := to.Read(buffer); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// inBursts writes and reads bursts.
func inBursts(b *testing.B, from, to *Conn, size, burst int) flow {
	payloads, buffers, sizes := make([][]byte, burst), make([][]byte, burst), make([]int, burst)
	for i := range payloads {
		payloads[i], buffers[i] = payloadOf(size), make([]byte, size)
	}
	return func(n int) {
		for n > 0 {
			sent, err := from.WriteBurst(payloads[:min(n, burst)])
			if err != nil {
				b.Fatal(err)
			}
			for got := 0; got < sent; {
				read, err := to.ReadBurst(buffers, sizes)
				if err != nil {
					b.Fatal(err)
				}
				got += read
			}
			n -= sent
		}
	}
}

// pionFlow is pion's own connection over the same kind of pipe.
func pionFlow(b *testing.B, size int) flow {
	cc, sc := configs(b, gcm128)
	c, s := connect(b, newPipe(), pionClient, pionServer, cc, sc)
	return onePerCall(b, c, s, size)
}

func benchmark(b *testing.B, size int, f flow) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	b.ResetTimer()
	f(b.N)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/packet")
}

var benchSizes = []int{64, 256, 1000, 1350, 8192}

// BenchmarkConn sends records one way through a pipe in memory.
func BenchmarkConn(b *testing.B) {
	for _, size := range benchSizes {
		if size < pionDatagram { // longer ones do not fit pion's buffer
			b.Run(fmt.Sprintf("pion/%d", size), func(b *testing.B) { benchmark(b, size, pionFlow(b, size)) })
		}
		b.Run(fmt.Sprintf("one/%d", size), func(b *testing.B) {
			c, s := ours(b, newPipe(), gcm128)
			benchmark(b, size, onePerCall(b, c, s, size))
		})
		b.Run(fmt.Sprintf("burst32/%d", size), func(b *testing.B) {
			c, s := batchedPair(b)
			benchmark(b, size, inBursts(b, c, s, size, 32))
		})
		b.Run(fmt.Sprintf("udp32/%d", size), func(b *testing.B) {
			c, s, _ := udpPair(b)
			benchmark(b, size, inBursts(b, c, s, size, 32))
		})
	}
}

func batchedPair(b *testing.B) (client, server *Conn) {
	e := newEngine(b)
	cc, sc := configs(b, gcm128)
	p := newPipe()
	x, y := p.batches()
	done := make(chan error, 1)
	go func() {
		var err error
		server, err = Server(patience(b), y, sc, e)
		done <- err
	}()
	client, err := Client(patience(b), x, cc, e)
	must(b, err)
	must(b, <-done)
	b.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// BenchmarkAgainstPion alternates with pion's own connection in one process, and
// reports the median of the paired ratios for records of 1000 bytes.
func BenchmarkAgainstPion(b *testing.B) {
	const size, records = 1000, 200
	pion := pionFlow(b, size)
	c, s := ours(b, newPipe(), gcm128)
	x, y := batchedPair(b)
	for name, f := range map[string]flow{"one": onePerCall(b, c, s, size), "burst32": inBursts(b, x, y, size, 32)} {
		b.Run(name, func(b *testing.B) {
			var ratios []float64
			for range max(b.N, 5) {
				ratios = append(ratios, timed(pion, records)/timed(f, records))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "times-as-fast")
		})
	}
}

func timed(f flow, n int) float64 {
	start := time.Now()
	f(n)
	return float64(time.Since(start))
}

// BenchmarkHalves seals and opens in place, without a transport.
func BenchmarkHalves(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			e := newEngine(b)
			k := randomKeys(b, gcm128)
			out, err := NewOutbound(e, k)
			must(b, err)
			in, err := NewInbound(e, k, 0)
			must(b, err)
			burst := make([]record.Datagram, 32)
			for i := range burst {
				burst[i].Buf = make([]byte, Headroom+size+Tailroom)
			}
			benchmark(b, size, func(n int) {
				for ; n > 0; n -= len(burst) {
					for i := range burst {
						burst[i].Off, burst[i].Len = Headroom, size
					}
					if out.Protect(burst) != len(burst) || in.Unprotect(burst) != len(burst) {
						b.Fatal("not all went through")
					}
				}
			})
		})
	}
}
