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
		if s := look(b, false); s.simple() && s.bytes > maxCall {
			t.Errorf("%v: one call", test.lengths)
		}
	}
}

func TestSurvey(t *testing.T) {
	b := sized(100, 100, 100)
	if s := look(b, false); s != (survey{bytes: 300}) {
		t.Errorf("alike: %+v", s)
	}
	b.Packets[1].Prefix = make([]byte, inPlaceAAD)
	if s := look(b, false); s != (survey{bytes: 300 + inPlaceAAD}) {
		t.Errorf("associated data: %+v", s)
	}
	b.Packets[1].AADLen = 1
	if s := look(b, false); !s.folds {
		t.Errorf("associated data in two pieces: %+v", s)
	}
	b.Packets[2].Len = 129
	if s := look(b, false); !s.mixed {
		t.Errorf("one longer: %+v", s)
	}
}
