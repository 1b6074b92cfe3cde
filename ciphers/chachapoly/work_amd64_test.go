//go:build !purego

package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestWorkIsWiped has work hold keys, hashes and key stream, and nothing of them afterwards.
func TestWorkIsWiped(t *testing.T) {
	cipherstest.NeedCPU(t, RequiresIFMA)
	r := tiertest.Source("wiped")
	k := newKeyPair(t, tiers()[1], r)
	var b tiertest.Scene
	for range 5 {
		b.Add(k, 100, 13, r)
	}
	ps, index := b.Packets, ciphers.Identity(len(b.Packets))
	ciphers.SealBorder(ps)
	w := &work{secret: new(secret)}
	for _, opening := range []bool{false, true} {
		w.take(ciphers.Burst{Packets: ps, Index: index}, opening, lone)
		if n := w.run(); n != len(ps) {
			t.Fatalf("opening %v: %d of %d", opening, n, len(ps))
		}
		s := w.secret
		if s.hash == (hashLanes{}) || s.keys[0][4] == (oneTimeKey{}) || opening && s.stream[0] == 0 && s.stream[1] == 0 {
			t.Errorf("opening %v: nothing to wipe", opening)
		}
		if w.wipe(); *s != (secret{}) {
			t.Errorf("opening %v: not wiped", opening)
		}
		for i := range ps {
			ps[i].Key, ps[i].Len = k.Open, ps[i].Len+fullTag
		}
		ciphers.OpenBorder(ps)
	}
}
