//go:build !purego

package aesgcm

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

func sized(lengths ...uint32) ciphers.Burst {
	ps := make([]ciphers.Packet, len(lengths))
	for i, n := range lengths {
		ps[i].Len = n
	}
	return ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}
}

func TestOrderIsByRegisters(t *testing.T) {
	var o order
	got := o.sort(sized(65535, 64, 0, 65, 1450, 1, 4096, 128), false)
	if want := []uint8{2, 1, 5, 3, 7, 4, 0, 6}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestOrderOfAFullBurst(t *testing.T) {
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
	b := sized(1, 65, 129)
	var o, p order
	if o.sort(b, false); o.folds {
		t.Error("none needs folding, but some does")
	}
	b.Packets[1].Prefix, b.Packets[1].AADLen = make([]byte, 1), 1
	if p.sort(b, false); !p.folds {
		t.Error("one needs folding, but none does")
	}
}
