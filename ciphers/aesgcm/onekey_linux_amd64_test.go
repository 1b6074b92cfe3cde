//go:build !purego

package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestOneKeyGuardPages has buffers, plaintexts and associated data of one packet of a
// burst begin or end where memory does.
func TestOneKeyGuardPages(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key guard")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain, aad := tiertest.Guarded(t, 2), tiertest.Guarded(t, 2), tiertest.Guarded(t, 1)
		for n := minOneKeyPayload; n <= 1700; n++ {
			for _, last := range []bool{false, true} {
				var b burst
				for range 3 {
					b.Add(k, n, n%(inPlaceAAD+1), r)
				}
				p, at := &b.Packets[n%3], n%3
				p.Buf, p.Prefix = tiertest.Placed(buf, p.Buf, last), tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.Plain[at], last)
				}
				b.Run(t, oneKeyOnly{v, t, firstShape})
			}
		}
	})
}

// TestOneKeyMaskedGuardPages has masks and the packets of one place begin or end where
// memory does, and samples begin or end with them.
func TestOneKeyMaskedGuardPages(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key masked guard")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		buf, masks := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := minOneKeyPayload; n <= 1400; n += 61 {
			for at := range 23 {
				for _, last := range []bool{false, true} {
					s := maskedShape{23, n, 20, 0}
					if last {
						s.sample = headroom + n // where the tag starts
					}
					b := maskedBurst(k, m, s, r)
					b.Packets[at].Buf = tiertest.Placed(buf, b.Packets[at].Buf, last)
					b.runMasked(t, v, m, tiertest.Placed(masks, make([]byte, ciphers.MaskSize*s.count), last))
				}
			}
		}
	})
}
