//go:build !purego

package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestMaskedGuardPages has masks and the packets of one place in a burst begin or end
// where memory does, and samples begin or end with them.
func TestMaskedGuardPages(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("masked guard")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		buf, masks := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := 1; n <= maxUniformPayload; n += 3 {
			for at := range 13 {
				for _, last := range []bool{false, true} {
					s := maskedShape{13, n, 20, 0}
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
