package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// aadSizes have block multiples, at which a zero block too many was once
// hashed, and the lengths around 65280, from which on CCM codes them in 6 bytes
// (SP 800-38C appendix A.2.2).
var aadSizes = []int{0, 1, 8, 12, 13, 16, 20, 28, 32, 33, 64, 65, 127, 128, 129, 255, 256, 65279, 65280, ciphers.MaxAAD}

// testAssociatedData gives associated data as Prefix, as a range of Buf before
// or behind the payload, and in both, split at several places.
func testAssociatedData(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("aad " + f.String())
			k := s.newKeys(t, f, w.src)
			for _, n := range []int{0, 1, 16, 100} {
				s.both(t, w.aadRecords(k, n))
			}
		})
	}
}

func (w *writer) aadRecords(k *keys, n int) (records []record) {
	for _, size := range aadSizes {
		for _, prefix := range splits(size) {
			r := w.record(k, n)
			r.prefix, r.ranged = w.bytes(prefix), w.bytes(size-prefix)
			r.late = size-prefix > 1000 || len(records)%3 == 0
			r.apart = len(records)&1 == 0
			records = append(records, r.write())
		}
	}
	return records
}

// splits are the parts of the associated data that Prefix takes. Long ones have
// fewer, for time's sake.
func splits(size int) []int {
	all, parts := []int{0}, []int{1, 8, 13, 16, size / 2, size - 1, size}
	if size > 1000 {
		parts = []int{13, size}
	}
	for _, n := range parts {
		if n > 0 && n <= size {
			all = append(all, n)
		}
	}
	return all
}
