//go:build amd64 && !purego

package hpmask

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// rowTiers are the tiers with a kernel for rows.
func rowTiers(t *testing.T, f func(t *testing.T, tier tier, k aesKernel)) {
	eachTier(t, func(t *testing.T, tier tier) {
		if k, ok := tier.masker.(aesKernel); ok {
			f(t, tier, k)
		}
	})
}

// TestRowsAreTakenWhole counts what the kernel for rows takes: whatever it leaves would
// be masked as well, by the other.
func TestRowsAreTakenWhole(t *testing.T) {
	rowTiers(t, func(t *testing.T, tier tier, k aesKernel) {
		for n := 1; n <= ciphers.MaxBurst; n++ {
			want := n
			if n < 4 {
				want = 0
			}
			s := newScene(t, tier, n, oneKey)
			if taken := k.row(&s.dst[0], &s.packets[0], n); taken != want {
				t.Fatalf("%d of %d taken, want %d", taken, n, want)
			}
		}
	})
}

// TestRowsEndAtAnotherKey has the key change at every place.
func TestRowsEndAtAnotherKey(t *testing.T) {
	rowTiers(t, func(t *testing.T, tier tier, k aesKernel) {
		const n = 40
		for at := 1; at < n; at++ {
			s := newScene(t, tier, n, func(i int) int { return min(i/at, 1) })
			if taken, want := k.row(&s.dst[0], &s.packets[0], n), at&^3; taken != want {
				t.Errorf("another key from %d on: %d taken, want %d", at, taken, want)
			}
		}
	})
}
