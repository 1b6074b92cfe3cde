package cipherstest

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// testOverlap points Plain at the payload itself, which is right, and at 1 and
// 3 bytes beside it, which is refused and touches nothing.
func testOverlap(t *testing.T, s subject) {
	w := newWriter("overlap")
	k := s.newKeys(t, s.forms()[0], w.src)
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		for _, n := range []int{max(5, k.form.block), 16, 64, 1450} {
			var records []record
			for range 10 {
				records = append(records, w.record(k, n).write())
			}
			scene := newScene(d, records)
			for i, shift := range []int{0, -1, 0, 1, 0, -3, 0, 3, 0} {
				scene.shift(i, shift)
			}
			scene.run(t, s.impl, Run{})
		}
	}
}

// shift points Plain of packet i that many bytes beside its payload.
func (s *scene) shift(i, by int) {
	p := s.places[i]
	s.packets[i].Plain = s.arena[p.payload+by:][:p.n:p.n]
	if by != 0 {
		s.refuse(i, ciphers.StatusOverlap)
	}
}
