package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestGuardPages has the buffer, plaintext and associated data of a packet in a burst begin
// or end where memory does: an access outside them faults.
func TestGuardPages(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("guard")
		k := newKeyPair(t, tier, r)
		buf, plain, aad := tiertest.Guarded(t, 2), tiertest.Guarded(t, 2), tiertest.Guarded(t, 1)
		for n := range 1500 {
			if testing.Short() && n > 300 && n%64 > 1 {
				continue
			}
			for _, last := range []bool{false, true} {
				var b tiertest.Scene
				for range 9 {
					b.Add(k, n, n%49, r)
				}
				p := &b.Packets[n%9]
				if n%3 == 0 {
					tiertest.InBuffer(p, len(p.Prefix))
				}
				p.Buf = tiertest.Placed(buf, p.Buf, last)
				p.Prefix = tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.Plain[n%9], last)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestGuardPagesAround has all packets of a burst lie in memory one behind the other, up to
// its end, where a write behind one would spoil the next.
func TestGuardPagesAround(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("guard around")
		k := newKeyPair(t, tier, r)
		room := tiertest.Guarded(t, 9)
		for n := 0; n < 1800; n += 1 + n/200*13 {
			var b tiertest.Scene
			end := len(room)
			for i := range 17 {
				p := b.AddText(k, tiertest.Random(r, n+i%5), nil, r)
				at := room[end-len(p.Buf) : end : end]
				copy(at, p.Buf)
				end -= len(p.Buf)
				p.Buf = at
			}
			b.Run(t, tier.Impl)
		}
	})
}
