package cipherstest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// leakLimit is the t value above which two means differ beyond chance: one run
// of equal ones in 10^9 would reach it. The machine's own unrest can, so that a
// leak is only what shows in every attempt.
const (
	leakLimit    = 6
	leakAttempts = 5
)

// TestTiming times batches under one fixed private key, whose bits should be as
// few as the group allows, against batches under random ones, in random order,
// and compares the means by Welch's t test. It fails where the time of op, which
// is OpDerive or OpGenerate, depends on the key.
func TestTiming(t *testing.T, group ciphers.Algorithm, impl ciphers.Exchanger, op ciphers.Operation, fixed []byte) {
	l := leak{kexSubject{group, impl}, op, fixed, kexCases(t, group, 8)}
	if score := l.score(); score > leakLimit {
		t.Errorf("%v: t = %.1f in the best of %d attempts", op, score, leakAttempts)
	}
}

// leak is what is timed.
type leak struct {
	kexSubject
	op    ciphers.Operation
	fixed []byte
	cases []kexCase // random private keys
}

// score is the lowest |t| of some attempts.
func (l *leak) score() float64 { return lowest(func() float64 { return math.Abs(welch(l.sample())) }) }

func lowest(attempt func() float64) float64 {
	score := math.Inf(1)
	for n := 0; n < leakAttempts && score > leakLimit; n++ {
		score = min(score, attempt())
	}
	return score
}

// leakBatch is as many exchanges as an implementation of vectors takes no lone
// ones for.
const leakBatch = 3

// sample measures batches under fixed and under random keys.
func (l *leak) sample() (fixed, random []float64) {
	r := rand.New(rand.NewPCG(9, uint64(time.Now().UnixNano())))
	batch := make([]ciphers.Exchange, leakBatch)
	for i := range batch {
		batch[i] = *l.room()
		batch[i].Public = slices.Clone(l.cases[i].ciphertext)
	}
	return timed(func(isFixed bool) {
		for i := range batch {
			x := &batch[i]
			x.Prepared, x.Seed = nil, x.Private
			copy(x.Private, l.cases[r.IntN(len(l.cases))].private)
			if isFixed {
				copy(x.Private, l.fixed)
			}
		}
	}, func() { l.do(l.op, batch) })
}

// TestTimingOf times run after prepare(true) against run after prepare(false), in
// random order, as TestTiming does.
func TestTimingOf(t *testing.T, prepare func(one bool), run func()) {
	score := lowest(func() float64 { return math.Abs(welch(timed(prepare, run))) })
	if score > leakLimit {
		t.Errorf("t = %.1f in the best of %d attempts", score, leakAttempts)
	}
}

// timed are the nanoseconds that run takes after either preparation.
func timed(prepare func(one bool), run func()) (one, other []float64) {
	const samples = 1500
	r := rand.New(rand.NewPCG(7, uint64(time.Now().UnixNano())))
	for range samples {
		isOne := r.IntN(2) == 0
		prepare(isOne)
		start := time.Now()
		run()
		if took := float64(time.Since(start)); isOne {
			one = append(one, took)
		} else {
			other = append(other, took)
		}
	}
	return crop(one, other)
}

// crop leaves out what took longer than most: interrupts, not arithmetic.
func crop(one, two []float64) ([]float64, []float64) {
	all := slices.Sorted(slices.Values(slices.Concat(one, two)))
	limit := all[len(all)*6/10]
	slow := func(v float64) bool { return v > limit }
	return slices.DeleteFunc(one, slow), slices.DeleteFunc(two, slow)
}

// welch is the t of two samples of unequal variance.
func welch(one, two []float64) float64 {
	if len(one) < 2 || len(two) < 2 {
		return math.Inf(1) // the crop has left one kind alone: all of the other were slower
	}
	m1, v1 := moments(one)
	m2, v2 := moments(two)
	return (m1 - m2) / math.Sqrt(v1/float64(len(one))+v2/float64(len(two)))
}

func moments(sample []float64) (mean, variance float64) {
	for _, v := range sample {
		mean += v / float64(len(sample))
	}
	for _, v := range sample {
		variance += (v - mean) * (v - mean) / float64(len(sample)-1)
	}
	return mean, variance
}
