package cipherstest

import (
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
	"github.com/sealburst/sealburst/ciphers/kex/x25519"
)

// TestTimingSeesALeak gives the timing test an implementation that leaks. A busy
// machine may hide a leak from one try, not from all.
func TestTimingSeesALeak(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own time hides 10 µs")
	}
	l := leak{kexSubject{ciphers.X25519, leaky{x25519.Std()}}, ciphers.OpDerive, make([]byte, 32), kexCases(t, ciphers.X25519, 8)}
	best := 0.0
	for try := 0; try < 10 && best <= leakLimit; try++ {
		best = max(best, l.score())
	}
	if best <= leakLimit {
		t.Errorf("a leak of 10 µs went unseen: t = %.1f", best)
	}
}

// leaky works 10 µs longer for a private key that has many bits.
type leaky struct{ ciphers.Exchanger }

func (l leaky) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	ok := l.Exchanger.Exchange(op, b)
	var ones int
	for _, v := range b.Entries[b.Index[0]].Private {
		for ; v != 0; v &= v - 1 {
			ones++
		}
	}
	for start := time.Now(); ones > 64 && time.Since(start) < 10*time.Microsecond; {
	}
	return ok
}
