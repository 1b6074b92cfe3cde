//go:build amd64 && !purego

package kex_test

import (
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/kex/ffdhe"
	"github.com/sealburst/sealburst/ciphers/kex/mlkem"
	"github.com/sealburst/sealburst/ciphers/kex/nist"
	"github.com/sealburst/sealburst/ciphers/kex/x25519"
)

// TestPartOfABatchCostsNoMoreThanAFullOne compares the fastest of some runs, which
// a busy machine can only delay; an attempt that it delayed is made again.
func TestPartOfABatchCostsNoMoreThanAFullOne(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the processor's time: not with -short")
	}
	for _, k := range []struct {
		group ciphers.Algorithm
		needs cpu.Set
		impl  ciphers.Exchanger
	}{
		{ciphers.X25519, x25519.RequiresIFMA, x25519.IFMA()},
		{ciphers.P256, nist.RequiresIFMA, nist.P256IFMA()},
		{ciphers.FFDHE2048, ffdhe.RequiresIFMA, ffdhe.FFDHE2048IFMA()},
		{ciphers.MLKEM768, mlkem.RequiresAVX512, mlkem.AVX512x768()},
	} {
		if missing := cpu.Detect().Missing(k.needs); missing != 0 {
			t.Logf("%v: not run: the processor lacks %v", k.group, missing)
			continue
		}
		for _, op := range []ciphers.Operation{ciphers.OpGenerate, ciphers.OpEncapsulate, ciphers.OpDecapsulate} {
			comparePart(t, k.group, k.impl, op)
		}
	}
}

// comparePart fails only if every attempt does. The slack is far above what the two differ
// by, and far below what a part would cost that was done one entry after the other.
func comparePart(t *testing.T, group ciphers.Algorithm, impl ciphers.Exchanger, op ciphers.Operation) {
	const attempts, slack = 25, 1.3
	full := prepared(group, impl, 8)
	for i := range full.Entries {
		full.Entries[i].Operation = op
	}
	for _, n := range []int{2, 5, 7} {
		part, ratio := full, 0.0
		part.Index = full.Index[:n]
		for range attempts {
			if ratio = fastest(impl, op, part, full); ratio <= slack {
				break
			}
		}
		if ratio > slack {
			t.Errorf("%v %v: %d cost %.2f times what eight do", group, op, n, ratio)
		}
	}
}

// prepared is a batch that every operation can run on.
func prepared(group ciphers.Algorithm, impl ciphers.Exchanger, n int) ciphers.ExchangeBatch {
	b := ciphers.ExchangeBatch{Entries: make([]ciphers.Exchange, n), Index: ciphers.Identity(n)}
	for i := range b.Entries {
		b.Entries[i] = ciphers.Exchange{
			Group:   group,
			Private: make([]byte, group.PrivateSize()), Public: make([]byte, group.PublicSize()),
			Ciphertext: make([]byte, group.CiphertextSize()), Secret: make([]byte, group.SecretSize()),
		}
	}
	impl.Exchange(ciphers.OpGenerate, b)
	impl.Exchange(ciphers.OpEncapsulate, b)
	return b
}

// fastest is the ratio of the fastest runs of two batches, which take turns.
func fastest(impl ciphers.Exchanger, op ciphers.Operation, one, other ciphers.ExchangeBatch) float64 {
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 12 {
		for i, b := range []ciphers.ExchangeBatch{one, other} {
			start := time.Now()
			impl.Exchange(op, b)
			best[i] = min(best[i], time.Since(start))
		}
	}
	return float64(best[0]) / float64(best[1])
}
