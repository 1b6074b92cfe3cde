package hpmask

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestGuardPages has samples at both ends of a page and the last mask at the end
// of one: a load or store that is wider than 16 bytes faults.
func TestGuardPages(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		first, last, to := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := 1; n <= 40; n++ {
			s := newScene(t, tier, n, func(i int) int { return i / 20 })
			for i := range n {
				at, buf := 0, first[:ciphers.MaskSize:ciphers.MaskSize]
				if i%2 == 1 {
					at, buf = len(last)-ciphers.MaskSize, last
				}
				copy(buf[at:], s.packets[i].Sample())
				s.packets[i].Buf, s.packets[i].SampleOff = buf, uint16(at)
				s.twins[i].Buf, s.twins[i].SampleOff = buf, uint16(at)
			}
			s.dst = to[len(to)-len(s.dst):]
			compare(t, tier, s)
		}
	})
}
