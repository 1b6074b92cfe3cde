package cipherstest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// testMixedKeys has bursts under one key, under as many keys as packets, under
// alternating keys and under runs of the same key. The keys have every form of
// nonce and tag that the algorithm allows.
func testMixedKeys(t *testing.T, s subject) {
	for _, order := range []struct {
		name string
		key  func(i int) int
	}{
		{"one", func(int) int { return 0 }},
		{"all-different", func(i int) int { return i }},
		{"alternating", func(i int) int { return i & 1 }},
		{"runs-of-four", func(i int) int { return i / 4 }},
		{"runs-of-three", func(i int) int { return i / 3 }},
	} {
		t.Run(order.name, func(t *testing.T) {
			w := newWriter("mixed keys")
			all := s.manyKeys(t, w, 64)
			for _, n := range []int{-1, 64, 100} {
				var records []record
				for i := range all {
					records = append(records, w.mixed(all[order.key(i)], i, n))
				}
				s.both(t, records)
			}
		})
	}
}

func (s subject) manyKeys(t *testing.T, w *writer, n int) (all []*keys) {
	t.Helper()
	f := s.forms()
	for i := range n {
		all = append(all, s.newKeys(t, f[i%len(f)], w.src))
	}
	return all
}

// mixed is a record of n bytes, or where n is negative of a length that goes
// with i.
func (w *writer) mixed(k *keys, i, n int) record {
	if n < 0 {
		n = edgeLengths[i*7%len(edgeLengths)]
	}
	r := w.record(k, n)
	r.apart = i%5 == 0
	r.prefix = w.bytes(i % 3 * 8)
	return r.write()
}

// testPartialIndex hands over half of a burst in a random order. The other half
// keeps its bytes and its status.
func testPartialIndex(t *testing.T, s subject) {
	w := newWriter("partial index")
	all := s.manyKeys(t, w, 8)
	for _, size := range []int{1, 2, 5, 16, 33, 256} {
		var records []record
		for i := range size {
			records = append(records, w.mixed(all[i*5%8], i, -1))
		}
		order := make([]uint8, size)
		for i := range order {
			order[i] = uint8(i)
		}
		shuffle(w.src, order)
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			for _, taken := range []int{size, (size + 1) / 2, 0} {
				s.some(t, newScene(d, records), order, taken)
			}
		}
	}
}

// some runs the first of order through the implementation, no others.
func (s subject) some(t *testing.T, scene *scene, order []uint8, taken int) {
	t.Helper()
	for _, i := range order[taken:] {
		scene.leave(int(i))
	}
	scene.run(t, s.impl, Run{Order: order[:taken]})
}

// leave expects that packet i is not processed. The border has written its
// explicit nonce all the same.
func (s *scene) leave(i int) { s.refuseLate(i, ciphers.StatusNone) }

// refuseLate expects what refuse does, but behind the border.
func (s *scene) refuseLate(i int, status ciphers.Status) {
	p := s.places[i]
	iv := append([]byte(nil), s.want[p.iv:p.payload]...)
	s.refuse(i, status)
	copy(s.want[p.iv:], iv)
}

// testLoneSlot has the implementation in the second slot of its keys' plan. In
// the first slot is its own state too, of another key.
func testLoneSlot(t *testing.T, s subject) {
	w := newWriter("lone slot")
	f := s.forms()[0]
	plan := &ciphers.Plan{Bulk: otherKey{s.impl}, Lone: s.impl, LoneMax: 4}
	k := keysWith(t, s.alg, f, plan, random(w.src, secretSize(s.alg)), random(w.src, f.iv))
	for size := 1; size <= 4; size++ {
		var records []record
		for i := range size {
			records = append(records, w.mixed(k, i+size, -1))
		}
		newScene(ciphers.Sealing, records).run(t, s.impl, Run{Slot: ciphers.SlotLone})
		newScene(ciphers.Opening, records).run(t, s.impl, Run{Slot: ciphers.SlotLone})
	}
}

// otherKey expands another key than it is given.
type otherKey struct{ ciphers.AEAD }

func (o otherKey) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	other := *spec
	if other.Key = slices.Clone(spec.Key); len(other.Key) > 0 {
		other.Key[0] ^= 1
	}
	if other.AuthKey = slices.Clone(spec.AuthKey); len(other.AuthKey) > 0 {
		other.AuthKey[0] ^= 1
	}
	return o.AEAD.Expand(st, &other)
}

func shuffle[T any](src *rand.ChaCha8, all []T) {
	rand.New(src).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
