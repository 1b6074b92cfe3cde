//go:build dpdk

package dpdk_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

var neighbour = ethernet.MAC{2, 0, 0, 0, 0, 3}

// newHost is one whose frames all go to one neighbour.
func newHost() *ethernet.Host {
	return ethernet.NewHost(ethernet.Config{
		MAC: ethernet.MAC{2, 0, 0, 0, 0, 1}, Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, Peer: neighbour,
	})
}

// passing is a frame that the host forwards, and whose checksum is right.
func passing(r *rand.Rand, last byte) []byte {
	f := frame(r.IntN(256), 60+r.IntN(100))
	ip := f[ethernet.HeaderSize:]
	limit := []byte{64, 255, 64, 200, 64, 64, 2, 64}[r.IntN(8)]
	copy(ip, []byte{0x45, 0, 0, byte(len(ip)), byte(r.IntN(256)), byte(r.IntN(256)), 0x40, 0, limit, 17, 0, 0, 10, 1, 0, 9, 10, 2, 3, last})
	right(ip)
	return f
}

func right(ip []byte) {
	var sum uint32
	ip[10], ip[11] = 0, 0
	for i := 0; i < 20; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum))
}

// odd changes a bit or two of a frame, or its hop limit, or cuts it, and most often makes the
// checksum right.
func odd(r *rand.Rand, f []byte) []byte {
	switch r.IntN(8) {
	case 0: // the words of its header add up to more than 64 bits, twice
		copy(f[ethernet.HeaderSize:], "\x45\x00\x00\x14\x00\x00\x40\x00\xba\xff\xff\xeb\xff\xff\xbf\xff\xff\xff\xff\xff")
		return f
	case 1:
		f[22] = byte(r.IntN(3))
		right(f[ethernet.HeaderSize:])
		return f
	}
	for range 1 + r.IntN(2) {
		f[r.IntN(40)] ^= 1 << r.IntN(8)
	}
	if r.IntN(4) == 0 {
		f = f[:20+r.IntN(len(f)-20)]
	}
	if len(f) >= 34 && r.IntN(3) != 0 {
		right(f[ethernet.HeaderSize:])
	}
	return f
}

// toNobody sends a frame to 0.0.0.0.
func toNobody(f []byte) {
	if ip := f[ethernet.HeaderSize:]; len(ip) >= 20 {
		clear(ip[16:20])
		right(ip)
	}
}

// put lets a ring have those frames.
func put(t *testing.T, q ethernet.Queue, frames [][]byte) {
	t.Helper()
	var b ethernet.Burst
	if !q.Allocate(&b, len(frames)) {
		t.Fatal("no buffers")
	}
	for i, f := range frames {
		d := &b.Frames[i]
		d.Len = copy(d.Buf[d.Off:], f)
	}
	if q.Send(&b) != len(frames) {
		t.Fatal("not sent")
	}
}

// giveBack gives back what a burst holds.
func giveBack(q ethernet.Queue, b *ethernet.Burst) {
	for i := range b.Frames[:b.N] {
		b.Frames[i].Drop = record.DropDummy
	}
	q.Send(b)
}

// TestReceiveTransitIsGlanceTransit in what it takes, what it makes of it and what it says,
// burst for burst, with frames of which each fourth burst has an odd one and each burst's
// addresses are one, or two.
func TestReceiveTransitIsGlanceTransit(t *testing.T) {
	q := open(t, dpdk.Config{Name: "net_ring5", Pool: newPool(t, 4096, mtu)}).Queue(0).(ethernet.Swift)
	r := rand.New(rand.NewPCG(5, 6))
	var ours, goes ethernet.Burst
	passed, ones := 0, 0
	for round := range 3000 {
		glance := newHost().Glance(round%3 != 0)
		if round%50 == 49 {
			glance.Owns = -1
		}
		frames := make([][]byte, 1+r.IntN(ethernet.MaxBurst))
		for i := range frames {
			frames[i] = passing(r, byte(round%5+r.IntN(1+round%2*10)/10))
		}
		if round%4 != 0 {
			i := r.IntN(len(frames))
			frames[i] = odd(r, frames[i])
		}
		if round%11 == 0 {
			toNobody(frames[0])
		}
		var sizes, want [ethernet.MaxBurst]int
		put(t, q, frames)
		p := q.ReceiveTransit(&ours, &glance, &sizes)
		put(t, q, frames)
		q.Receive(&goes)
		wanted := glance.Transit(goes.Frames[:goes.N], want[:])
		if p.N != wanted.N || p.Bytes != wanted.Bytes || p.N != 0 && p.One != wanted.One || sizes != want || ours.N != goes.N {
			t.Fatalf("round %d: %+v of %d, want %+v of %d\n%v\n%v", round, p, ours.N, wanted, goes.N, sizes, want)
		}
		for i := range ours.Frames[:ours.N] {
			a, b := &ours.Frames[i], &goes.Frames[i]
			if a.Off != b.Off || a.Drop != b.Drop || !bytes.Equal(a.Content(), b.Content()) {
				t.Fatalf("round %d, frame %d: %+v: %x, want %+v: %x", round, i, a, a.Content(), b, b.Content())
			}
		}
		if passed += p.N; p.One && p.N > 1 {
			ones++
		}
		giveBack(q, &ours)
		giveBack(q, &goes)
	}
	if passed < 30000 || ones < 500 || ones > 2500 {
		t.Errorf("%d frames passed, in %d bursts for one address", passed, ones)
	}
}

// packets are as many IPv4 packets and IPv6 packets, with the lengths of frames less a header.
func packets(r *rand.Rand, n int) (all [][]byte) {
	for i := range n {
		p := passing(r, 4)[ethernet.HeaderSize:]
		if i%3 == 1 {
			p[0] = 0x60
		}
		all = append(all, p)
	}
	return all
}

// TestExchangeBehindIsFramesToAndExchange on a ring, which gives back what it was sent.
func TestExchangeBehindIsFramesToAndExchange(t *testing.T) {
	q := open(t, dpdk.Config{Name: "net_ring6", Pool: newPool(t, 4096, mtu)}).Queue(0).(ethernet.Swift)
	host := newHost()
	hop := host.Hop(netip.MustParseAddr("192.0.2.2"))
	header, known := host.HeaderTo(hop, 200)
	if !known {
		t.Fatal("the only neighbour is not known")
	}
	all := packets(rand.New(rand.NewPCG(7, 8)), ethernet.MaxBurst)
	var b ethernet.Burst
	for _, n := range []int{1, 2, 31, ethernet.MaxBurst} {
		load(t, q, &b, all[:n])
		if sent, ok := q.ExchangeBehind(&b, &header); sent != n || !ok || b.N != n {
			t.Fatalf("sent %d of %d, %v, received %d", sent, n, ok, b.N)
		}
		for i := range n {
			want := []record.Datagram{{Buf: append(make([]byte, 64), all[i]...), Off: 64, Len: len(all[i])}}
			host.FramesTo(want, hop, 200)
			if !bytes.Equal(b.Frames[i].Content(), want[0].Content()) {
				t.Errorf("frame %d: %x, want %x", i, b.Frames[i].Content(), want[0].Content())
			}
		}
		giveBack(q, &b)
	}
	if _, ok := q.ExchangeBehind(&b, &header); ok {
		t.Error("sent nothing")
	}
}

// load is packets in buffers.
func load(t *testing.T, q ethernet.Queue, b *ethernet.Burst, all [][]byte) {
	t.Helper()
	if !q.Allocate(b, len(all)) {
		t.Fatal("no buffers")
	}
	for i, p := range all {
		d := &b.Frames[i]
		d.Len = copy(d.Buf[d.Off:], p)
	}
}

// TestExchangeBehindRefuses a burst in which anything is wrong, and leaves it.
func TestExchangeBehindRefuses(t *testing.T) {
	q := open(t, dpdk.Config{Name: "net_ring7", Pool: newPool(t, 4096, mtu)}).Queue(0).(ethernet.Swift)
	all := packets(rand.New(rand.NewPCG(9, 10)), 32)
	header, _ := newHost().HeaderTo(newHost().Hop(netip.MustParseAddr("192.0.2.2")), 150)
	for name, spoil := range map[string]func(b *ethernet.Burst){
		"a cause":     func(b *ethernet.Burst) { b.Frames[31].Drop = record.DropReplayed },
		"too long":    func(b *ethernet.Burst) { b.Frames[0].Len = 151 },
		"no headroom": func(b *ethernet.Burst) { b.Frames[9].Off = 13 },
		"a hole":      func(b *ethernet.Burst) { b.Move(7, new(ethernet.Burst)) },
	} {
		var b ethernet.Burst
		load(t, q, &b, all)
		seventh := b.Buffers[7]
		spoil(&b)
		before := slices.Clone(b.Frames[:])
		sent, ok := q.ExchangeBehind(&b, &header)
		if sent != 0 || ok || b.N != 32 {
			t.Errorf("%s: sent %d, %v, %d left", name, sent, ok, b.N)
		}
		for i, d := range b.Frames[:32] {
			if w := before[i]; d.Off != w.Off || d.Len != w.Len || d.Drop != w.Drop {
				t.Errorf("%s: frame %d is %+v, was %+v", name, i, d, w)
			}
		}
		b.Buffers[7] = seventh
		giveBack(q, &b)
		if q.Receive(&b); b.N != 0 {
			t.Errorf("%s: %d frames were sent", name, b.N)
		}
	}
}
