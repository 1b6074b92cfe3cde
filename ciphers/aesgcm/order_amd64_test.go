//go:build !purego

package aesgcm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

func sized(lengths ...uint32) ciphers.Burst {
	ps := make([]ciphers.Packet, len(lengths))
	for i, n := range lengths {
		ps[i].Len = n
	}
	return ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}
}

func TestOrderIsByRegisters(t *testing.T) {
	cipherstest.NeedCPU(t, cpu.AVX2)
	var o order
	got := o.sort(sized(65535, 64, 0, 65, 1450, 1, 4096, 128), false)
	if want := []uint8{2, 1, 5, 3, 7, 4, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestOrderOfAFullBurst(t *testing.T) {
	cipherstest.NeedCPU(t, cpu.AVX2)
	lengths := make([]uint32, ciphers.MaxBurst)
	for i := range lengths {
		lengths[i] = 65535
	}
	lengths[255] = 0
	var o order
	got := o.sort(sized(lengths...), false)
	if got[0] != 255 || !slices.Equal(got[1:], ciphers.Identity(255)) {
		t.Errorf("order %v", got)
	}
}

// TestOrderIsASort compares with a stable sort and a count by hand: bursts of every size,
// whose indexes are some of their packets, in any order.
func TestOrderIsASort(t *testing.T) {
	cipherstest.NeedCPU(t, cpu.AVX2)
	rng := rand.New(tiertest.Source("order"))
	for count := 1; count <= ciphers.MaxBurst; count++ {
		b := ciphers.Burst{Packets: make([]ciphers.Packet, ciphers.MaxBurst)}
		for _, i := range rng.Perm(ciphers.MaxBurst)[:count] {
			b.Index = append(b.Index, uint8(i))
		}
		long := []uint32{65551, 400, 64}[count%3]
		for i := range b.Packets {
			b.Packets[i].Len, b.Packets[i].AADLen = 16+rng.Uint32N(long-15), uint16(rng.IntN(inPlaceAAD+1))
		}
		for _, opening := range []bool{false, true} {
			checkOrder(t, b, opening)
		}
	}
}

func checkOrder(t *testing.T, b ciphers.Burst, opening bool) {
	t.Helper()
	registers := func(i uint8) int {
		n := int(b.Packets[i].Len)
		if opening {
			n -= fullTag
		}
		return min((n+63)/64, 47)
	}
	var o order
	got, want := o.sort(b, opening), slices.Clone(b.Index)
	slices.SortStableFunc(want, func(i, j uint8) int { return registers(i) - registers(j) })
	if !slices.Equal(got, want) {
		t.Fatalf("%d packets, opening %t: order %v, want %v", len(want), opening, got, want)
	}
	var counts [maxUniformPayload/64 + 1]int
	bytes := 0
	for _, i := range b.Index {
		bytes += bytesOf(&b.Packets[i])
		if n := registers(i); n < len(counts) {
			counts[n]++
		}
	}
	for n, want := range counts {
		if got := o.sizes.count(n); got != want {
			t.Errorf("%d packets of %d registers, want %d", got, n, want)
		}
	}
	if o.bytes != bytes || o.folds {
		t.Errorf("%d bytes, want %d; folds %t", o.bytes, bytes, o.folds)
	}
}

// TestCallsAreBounded holds the calls of a kernel to 64 KiB, packets that are
// longer by themselves excepted.
func TestCallsAreBounded(t *testing.T) {
	for _, test := range []struct {
		lengths []uint32
		want    int
	}{
		{[]uint32{1, 2, 3}, 3},
		{[]uint32{32768, 32768, 1}, 2},
		{[]uint32{32768, 32769}, 1},
		{[]uint32{65535, 65535}, 1},
		{[]uint32{65551}, 1},
	} {
		b := sized(test.lengths...)
		if got := split(b.Packets, b.Index); got != test.want {
			t.Errorf("%v: %d in a call, want %d", test.lengths, got, test.want)
		}
	}
}

func TestSimple(t *testing.T) {
	b := sized(100, 100, 100)
	if !simple(b) {
		t.Error("alike: not simple")
	}
	for name, change := range map[string]func(p *ciphers.Packet){
		"prefix":          func(p *ciphers.Packet) { p.Prefix = make([]byte, 1) },
		"associated data": func(p *ciphers.Packet) { p.AADLen = 1 },
		"payload":         func(p *ciphers.Packet) { p.Len++ },
	} {
		for i := range b.Packets {
			b := sized(100, 100, 100)
			change(&b.Packets[i])
			if simple(b) {
				t.Errorf("%s of packet %d: simple", name, i)
			}
		}
	}
	for _, count := range []int{64, 65} {
		b := ciphers.Burst{Packets: make([]ciphers.Packet, count), Index: ciphers.Identity(count)}
		for i := range b.Packets {
			b.Packets[i].Len, b.Packets[i].AADLen = 1000, 24
		}
		if simple(b) != (count == 64) {
			t.Errorf("%d KiB in one call: %t", count, simple(b))
		}
	}
	b = sized(100)
	b.Packets[0].AADLen = inPlaceAAD + 1
	if simple(b) {
		t.Error("associated data that need folding: simple")
	}
}

func TestSortSeesFolding(t *testing.T) {
	cipherstest.NeedCPU(t, cpu.AVX2)
	b := sized(1, 65, 129)
	var o order
	if o.sort(b, false); o.folds {
		t.Error("none needs folding, but some does")
	}
	for name, change := range map[string]func(p *ciphers.Packet){
		"two pieces":      func(p *ciphers.Packet) { p.Prefix, p.AADLen = make([]byte, 1), 1 },
		"long in front":   func(p *ciphers.Packet) { p.Prefix = make([]byte, inPlaceAAD+1) },
		"long, in buffer": func(p *ciphers.Packet) { p.AADLen = inPlaceAAD + 1 },
	} {
		for i := range b.Packets {
			b := sized(1, 65, 129)
			change(&b.Packets[i])
			if o.sort(b, false); !o.folds {
				t.Errorf("%s: packet %d needs folding, but none does", name, i)
			}
		}
	}
}
