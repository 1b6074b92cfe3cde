package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// rowLengths are those for which packets that are alike may be served apart, and more.
const rowLengths = 340

// testRows runs bursts of packets that are alike, of every length up to rowLengths and
// some beyond, with associated data of 0 to 33 bytes, in place and out of place by turns.
// Some of them do not open.
func testRows(t *testing.T, s subject) {
	for _, f := range s.forms() {
		w := newWriter("rows " + f.String())
		k := s.newKeys(t, f, w.src)
		for n := range rowLengths + 4 {
			if n > rowLengths {
				n *= 4
			}
			if count := ciphers.MinRow + n*5%13; !testing.Short() || n%16 < 2 {
				s.row(t, w.row(k, n, n*7%34, count))
			}
		}
		s.row(t, w.row(k, 100, 13, ciphers.MaxBurst))
	}
}

// row is records of one shape, some of which are to be spoilt.
func (w *writer) row(k *keys, n, aad, count int) (records []record) {
	for i := range count {
		r := w.record(k, n)
		r.ranged, r.apart = w.bytes(aad), i%3 == 1
		records = append(records, r.write())
	}
	return records
}

// row seals the records and opens them, the last and every fifth with another tag.
func (s subject) row(t *testing.T, records []record) {
	t.Helper()
	newScene(ciphers.Sealing, records).run(t, s.impl, Run{})
	for i := range records {
		if r := &records[i]; i%5 == 3 || i == len(records)-1 {
			r.fault, r.forged = flipTag(i%r.keys.form.tag), true
		}
	}
	scene := newScene(ciphers.Opening, records)
	if _, alike := ciphers.OpenBorder(scene.packets); !alike {
		t.Fatalf("%d packets of %d bytes are not alike", len(records), len(records[0].plain))
	}
	scene.run(t, s.impl, Run{})
}
