//go:build !purego

package chachapoly

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// ordered is how a part with packets of those lengths, all with aad bytes of associated data, is
// taken: lengths of those together, and of those alone.
func ordered(lengths []int, aad int) (together, alone []int) {
	ps := make([]ciphers.Packet, len(lengths))
	for i, n := range lengths {
		ps[i].Len, ps[i].Prefix = uint32(n), make([]byte, aad)
	}
	w := &work{Burst: ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}}
	w.order.sort(w, lone)
	length := func(index []uint8) (of []int) {
		for _, at := range index {
			of = append(of, int(ps[at].Len))
		}
		return of
	}
	return length(w.order.together), length(w.order.alone)
}

func TestOrder(t *testing.T) {
	same := func(n, count int) []int { return slices.Repeat([]int{n}, count) }
	for _, c := range []struct {
		name                     string
		lengths, together, alone []int
		aad                      int
	}{
		{"of one length", same(100, 8), same(100, 8), nil, 13},
		{"one too many, and short", same(100, 9), same(100, 9), nil, 13},
		{"one too many, and long", same(1450, 9), same(1450, 8), same(1450, 1), 13},
		{"longest first", []int{64, 256, 576, 128}, []int{576, 256, 128, 64}, nil, 13},
		{"one much longer", []int{64, 64, 9000, 64, 64}, same(64, 4), []int{9000}, 13},
		{"two much longer", []int{64, 9000, 64, 9000}, nil, []int{9000, 9000, 64, 64}, 13},
		{"three much longer", []int{64, 9000, 9000, 64, 9000}, []int{9000, 9000, 9000, 64, 64}, nil, 13},
		{"three of three lengths", []int{64, 150, 1000}, nil, []int{1000, 150, 64}, 13},
		{"few left", []int{64, 9000, 64}, nil, []int{9000, 64, 64}, 13},
		{"associated data as they may be", same(64, 8), same(64, 8), nil, maxAAD},
		{"too many associated data", same(64, 8), nil, same(64, 8), maxAAD + 1},
	} {
		together, alone := ordered(c.lengths, c.aad)
		if !slices.Equal(together, c.together) || !slices.Equal(alone, c.alone) {
			t.Errorf("%s: %v and %v alone, want %v and %v", c.name, together, alone, c.together, c.alone)
		}
	}
}

// TestOrderKeepsAll has random lengths: each packet comes once, and classes descend.
func TestOrderKeepsAll(t *testing.T) {
	r := tiertest.Source("order")
	for round := range 2000 {
		var lengths []int
		for range 1 + round%maxPart {
			b := tiertest.Random(r, 3)
			lengths = append(lengths, (int(b[0])<<8|int(b[1]))>>(b[2]%17))
		}
		together, alone := ordered(lengths, 0)
		for i := range together[min(1, len(together)):] {
			if class(uint32(together[i])) < class(uint32(together[i+1])) {
				t.Fatalf("%d before %d", together[i], together[i+1])
			}
		}
		all := slices.Concat(together, alone)
		slices.Sort(all)
		slices.Sort(lengths)
		if !slices.Equal(all, lengths) {
			t.Fatalf("%v, want %v", all, lengths)
		}
	}
}

// TestClasses has classes ascend with the length, up to that of the longest packet with its tag.
func TestClasses(t *testing.T) {
	last := 0
	for n := range uint32(ciphers.MaxPayload + tagSize + 1) {
		c := class(n)
		if c < last || c > last+1 || c >= classes {
			t.Fatalf("class %d of %d bytes behind %d", c, n, last)
		}
		last = c
	}
}
