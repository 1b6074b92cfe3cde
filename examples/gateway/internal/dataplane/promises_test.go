package dataplane

import (
	"math"
	"testing"
)

// TestPromisesEndWithTheNumbers: what is written down as used never wraps to where an SA
// began.
func TestPromisesEndWithTheNumbers(t *testing.T) {
	for _, c := range []struct{ first, n, want uint64 }{
		{1, chunk, chunk + 1},
		{math.MaxUint64 - 5, 4, math.MaxUint64 - 1},
		{math.MaxUint64 - 5, chunk, math.MaxUint64},
		{math.MaxUint64, math.MaxUint64, math.MaxUint64},
	} {
		if got := (&promise{first: c.first}).behind(c.n); got != c.want {
			t.Errorf("%d behind %d: %d, want %d", c.n, c.first, got, c.want)
		}
	}
}
