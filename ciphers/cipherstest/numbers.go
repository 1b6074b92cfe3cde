package cipherstest

import (
	"math"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// recordNumbers give one nonce twice to whoever keeps 16, 32 or 48 bits of them.
var recordNumbers = []uint64{0, 1, 1 << 16, 1 << 32, 1<<48 - 1, 1 << 48, math.MaxUint64 - 1, math.MaxUint64}

// testNumbers seals one plaintext under many numbers and high parts. Each gives
// what the oracle gives under the nonce of RFC 8446 section 5.3, or of the
// explicit form, whose bytes stand on the wire; and no two are alike.
func testNumbers(t *testing.T, s subject) {
	for _, f := range s.forms() {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("numbers " + f.String())
			scene := newScene(ciphers.Sealing, w.numbered(s.newKeys(t, f, w.src)))
			scene.run(t, s.impl, Run{})
			scene.distinct(t)
		})
	}
}

func (w *writer) numbered(k *keys) (records []record) {
	highs := []uint32{0, 1, k.high(math.MaxUint32)}
	if k.form.nonce != ciphers.NonceXOR {
		highs = highs[:1]
	}
	plain := w.bytes(48)
	for _, high := range highs {
		for _, number := range recordNumbers {
			r := w.record(k, 0)
			r.plain, r.number, r.high = plain, number, high
			records = append(records, r.write())
		}
	}
	return records
}

// distinct fails when two ciphertexts of the same plaintext are equal.
func (s *scene) distinct(t *testing.T) {
	t.Helper()
	seen := map[string]int{}
	for i, p := range s.places {
		text := string(s.arena[p.payload:p.tag])
		if j, ok := seen[text]; ok {
			t.Errorf("packets %d and %d have the same ciphertext: numbers %#x and %#x", j, i, s.packets[j].Number, s.packets[i].Number)
		}
		seen[text] = i
	}
}

// testPeersNonce opens packets whose explicit nonces have nothing to do with
// their numbers, as a peer may choose them.
func testPeersNonce(t *testing.T, s subject) {
	explicit := slices.DeleteFunc(s.forms(), func(f form) bool { return f.wire() == 0 })
	for _, f := range explicit {
		t.Run(f.String(), func(t *testing.T) {
			w := newWriter("peer's nonce " + f.String())
			k := s.newKeys(t, f, w.src)
			var records []record
			for _, n := range edgeLengths {
				records = append(records, w.record(k, n).write())
			}
			scene := newScene(ciphers.Opening, records)
			for i := range scene.packets {
				scene.packets[i].Number = uint64(i)
			}
			scene.run(t, s.impl, Run{})
		})
	}
	if len(explicit) == 0 {
		t.Logf("%v has no explicit nonces", s.alg)
	}
}
