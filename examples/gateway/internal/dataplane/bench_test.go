package dataplane

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// source is a device that costs next to nothing: it lends the same frames again and
// again, as new.
type source struct {
	frames [][]byte
	bufs   [][]byte
}

func newSource(frames [][]byte) *source {
	s := &source{frames: frames}
	for range frames {
		s.bufs = append(s.bufs, make([]byte, 2304))
	}
	return s
}

func (s *source) ChecksUDP() bool { return false }

func (s *source) Receive(b *ethernet.Burst) {
	for i, f := range s.frames {
		copy(s.bufs[i][memoryHeadroom:], f[:min(len(f), 64)]) // what is sealed in place is not restored beyond the headers
		b.Frames[i] = record.Datagram{Buf: s.bufs[i], Off: memoryHeadroom, Len: len(f)}
		b.Buffers[i] = uintptr(i + 1)
	}
	b.N = len(s.frames)
}

func (s *source) Send(b *ethernet.Burst) (sent int) {
	for i := range b.Frames[:b.N] {
		if b.Frames[i].Drop == record.DropNone {
			sent++
		}
	}
	b.N = 0
	return sent
}

func (s *source) Exchange(b *ethernet.Burst) int {
	sent := s.Send(b)
	s.Receive(b)
	return sent
}

func (s *source) Allocate(*ethernet.Burst, int) bool { return false }

// nsPacket reports the cost of a packet.
func nsPacket(b *testing.B, burst int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*burst), "ns/packet")
}

// BenchmarkOut is a gateway without its devices: everything between receiving and
// sending, sealing included.
func BenchmarkOut(b *testing.B) {
	for _, size := range []int{64, 256, 1400} {
		frames := make([][]byte, 32)
		for i := range frames {
			frames[i] = framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, size))
		}
		b.Run(fmt.Sprintf("esp/%d", size), func(b *testing.B) {
			plain, protected := newHosts()
			esp := newESP(b, saFile, protected, 1500)
			benchOut(b, frames, plain, protected, esp.Worker)
		})
		b.Run(fmt.Sprintf("dtls/%d", size), func(b *testing.B) {
			plain, protected := newHosts()
			p := newSessions(b, protected, 1)
			benchOut(b, frames, plain, protected, p.Worker)
		})
	}
}

func benchOut(b *testing.B, frames [][]byte, plain, protected *ethernet.Host, protocol func(ethernet.Queue) Protocol) {
	in, out := newSource(frames), newSource(nil)
	g := New(Config{
		Plain: Side{plain, []ethernet.Queue{in}, 1500}, Protected: Side{protected, []ethernet.Queue{out}, 1600}, Protocol: protocol,
	})
	w := g.workers[0]
	for b.Loop() {
		w.outward()
	}
	nsPacket(b, len(frames))
	if flow := w.count.Out.Flow(); len(flow.Drops) != 0 {
		b.Fatal(flow.Drops)
	}
}

// newSessions makes sessions of DTLS without handshakes: for 10.2.x.y from 192.0.2.2.
func newSessions(t testing.TB, host *ethernet.Host, n int) *DTLS {
	t.Helper()
	e := newEngine(t)
	p := NewDTLS(e, host, 4433, 1400)
	for i := range n {
		k := dtlsadapter.Keys{Suite: dtlsadapter.Suites()[0], Epoch: 1, Key: make([]byte, 16), IV: make([]byte, 4)}
		copy(k.Key, fmt.Sprint(i))
		out, err := dtlsadapter.NewOutbound(e, k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := dtlsadapter.NewInbound(e, k, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { out.Close(); in.Close() })
		from := netip.AddrPortFrom(peerAddr, uint16(10000+i))
		s := &session{
			peer: peer{addressOf(from.Addr()), from.Port()}, inside: addressOf(netip.AddrFrom4([4]byte{10, 2, byte(3 + i>>8), byte(4 + i)})),
			out: out, in: in, hop: host.Hop(peerAddr), header: newOuter(netip.AddrPortFrom(gatewayAddr, 4433), from),
		}
		p.peers.set(s.peer, s)
		p.inside.set(s.inside, s)
	}
	return p
}
