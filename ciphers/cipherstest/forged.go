package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// testBadPackets spoils one thing in every other packet of a burst: each byte
// of the tag, the ends of the payload, the associated data, the nonce. The
// spoilt ones fail and their plaintexts are zero, whatever lay there before;
// the others open.
func testBadPackets(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("bad packets " + f.String())
			k := s.newKeys(t, f, w.src)
			for _, n := range []int{0, 1, 15, 16, 17, 64, 100, 300, 1450} {
				for _, apart := range []bool{false, true} {
					newScene(ciphers.Opening, w.spoilt(k, n, apart)).run(t, s.impl, Run{})
				}
			}
		})
	}
}

// spoilt is a burst in which every other record has one fault.
func (w *writer) spoilt(k *keys, n int, apart bool) (records []record) {
	add := func(bad fault) {
		r := w.record(k, n)
		r.prefix, r.apart = w.bytes(9), apart
		r.fault, r.forged = bad, bad != nil
		records = append(records, r.write())
	}
	add(nil)
	for _, bad := range faults(w.record(k, n)) {
		add(bad)
		add(nil)
	}
	add(flipPrefix)
	return records
}

// testFailureZeroes opens bursts of which all, the first, the last or all but
// one are forged, of mixed lengths.
func testFailureZeroes(t *testing.T, s subject) {
	w := newWriter("failure zeroes")
	k := s.newKeys(t, s.forms()[0], w.src)
	for _, size := range []int{1, 2, 8, 17, 32} {
		for _, forged := range []func(i int) bool{
			func(int) bool { return true },
			func(i int) bool { return i == 0 },
			func(i int) bool { return i == size-1 },
			func(i int) bool { return i != size/2 },
		} {
			var records []record
			for i := range size {
				r := w.record(k, edgeLengths[(i*11+size)%len(edgeLengths)])
				r.apart = i%3 == 1
				if r.forged = forged(i); r.forged {
					r.fault = flipTag(i % k.tag)
				}
				records = append(records, r.write())
			}
			newScene(ciphers.Opening, records).run(t, s.impl, Run{})
		}
	}
}
