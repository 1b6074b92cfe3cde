package cipherstest

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// lengths are 0 to 4200 bytes and the sizes beyond that have proved hard; with
// -short a few hundred of them, the edges of vector widths among them.
func lengths() []int {
	var all []int
	for n := range 4201 {
		if !testing.Short() || n < 130 || n%61 == 0 || n%256 < 2 || n%256 == 255 {
			all = append(all, n)
		}
	}
	return append(all, 8191, 8192, 8193, 9000, 16384, ciphers.MaxPayload)
}

// edgeLengths are the edges of blocks and vector registers.
var edgeLengths = []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 512, 1023, 1350, 1450}

// testEveryLength seals and opens every length, in place and out of place. The
// full tag takes every one of them; other forms of key take every seventh and
// the edges, each form others.
func testEveryLength(t *testing.T, s subject) {
	for i, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("lengths " + f.String())
			s.sweep(t, w, s.newKeys(t, f, w.src), formLengths(i))
		})
	}
}

func formLengths(form int) []int {
	all := lengths()
	if form == 0 {
		return all
	}
	kept := slices.Clone(edgeLengths)
	for _, n := range all {
		if n%7 == form%7 && (n < 600 || n%8 == 3) || n > 4200 {
			kept = append(kept, n)
		}
	}
	return kept
}

// sweep runs all lengths in shuffled bursts, so that long and short ones meet.
func (s subject) sweep(t *testing.T, w *writer, k *keys, all []int) {
	t.Helper()
	all = slices.DeleteFunc(all, func(n int) bool { return k.whole(n) != n })
	shuffle(w.src, all)
	for burst := range slices.Chunk(all, ciphers.MaxBurst) {
		records := make([]record, len(burst))
		for _, apart := range []bool{false, true} {
			for i, n := range burst {
				r := w.record(k, n)
				r.apart = apart
				records[i] = r.write()
			}
			s.both(t, records)
		}
	}
}

// both seals the records in one scene and opens them in another.
func (s subject) both(t *testing.T, records []record) {
	t.Helper()
	newScene(ciphers.Sealing, records).run(t, s.impl, Run{})
	newScene(ciphers.Opening, records).run(t, s.impl, Run{})
}

// testBurstSizes runs bursts of 1 to 256 packets.
func testBurstSizes(t *testing.T, s subject) {
	w := newWriter("burst sizes")
	k := s.newKeys(t, s.forms()[0], w.src)
	for size := 1; size <= ciphers.MaxBurst; size++ {
		if testing.Short() && size > 34 && size%32 > 1 {
			continue
		}
		records := make([]record, size)
		for i := range records {
			r := w.record(k, (size*7+i*37)%200)
			r.apart = i&1 == 1
			records[i] = r.write()
		}
		s.both(t, records)
	}
}

// testAlignment starts payloads at every offset in a cache line, and the
// plaintexts that lie apart at others.
func testAlignment(t *testing.T, s subject) {
	w := newWriter("alignment")
	k := s.newKeys(t, s.forms()[0], w.src)
	for _, n := range edgeLengths {
		for _, apart := range []bool{false, true} {
			records := make([]record, 64)
			for i := range records {
				r := w.record(k, n)
				r.align, r.apart, r.gap = i, apart, i*5%64
				records[i] = r.write()
			}
			s.both(t, records)
		}
	}
}

// testMixedLengths puts packets without payload beside long ones.
func testMixedLengths(t *testing.T, s subject) {
	w := newWriter("mixed lengths")
	k := s.newKeys(t, s.forms()[0], w.src)
	for _, pair := range [][2]int{{0, 9000}, {1, 1450}, {15, 4097}, {64, 65}, {0, ciphers.MaxPayload}} {
		var records []record
		for i := range 9 {
			r := w.record(k, pair[i&1])
			r.apart = i&2 != 0
			records = append(records, r.write())
		}
		s.both(t, records)
	}
}
