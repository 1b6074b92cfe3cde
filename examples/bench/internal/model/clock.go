package model

import (
	"crypto/sha256"
	"runtime"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// Gigahertz measures the processor's clock on a chain of instructions that take a
// cycle each: the median of some tries, as of all other figures.
func Gigahertz() float64 {
	const tries, steps = 41, 50_000
	var rates []float64
	for range tries {
		start := processTime()
		end := chain(uint64(start), steps)
		rates = append(rates, chainCycles*steps/float64(max(1, processTime()-start)))
		runtime.KeepAlive(end)
	}
	return pair.Median(rates)
}

// chainCycles are those of a step of chain.
const chainCycles = 16

// chain is not inlined, or the compiler would leave it out.
//
//go:noinline
func chain(x uint64, steps int) uint64 {
	k := x | 1
	for range steps {
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
		x = (x ^ k) + k
	}
	return x
}

// meter adds up the processor time of some work, slice by slice, each of them
// normalised by a burst of constant work just before and just behind it: a
// machine that changes its speed meanwhile changes both.
type meter struct {
	reference float64 // nanoseconds that the burst takes at the speed that counts
	spent     float64
	block     [16 << 10]byte
}

// newMeter takes the usual time of the burst for its reference.
func newMeter() *meter {
	m := &meter{}
	var took []float64
	for range 50 {
		took = append(took, m.burst())
	}
	m.reference = pair.Median(took)
	return m
}

// burst does the constant work, some 200 µs of it.
func (m *meter) burst() float64 {
	start := processTime()
	for range 16 {
		sum := sha256.Sum256(m.block[:])
		copy(m.block[:], sum[:])
	}
	return float64(processTime() - start)
}

// slice times work and adds it.
func (m *meter) slice(work func() error) error {
	before := m.burst()
	start := processTime()
	err := work()
	took := float64(processTime() - start)
	m.spent += took * m.reference / ((before + m.burst()) / 2)
	return err
}

// total is what the slices took since it was called last.
func (m *meter) total() float64 {
	t := m.spent
	m.spent = 0
	return t
}

// processNow is the processor time of all threads as a time, of which only
// differences mean anything.
func processNow() time.Time { return time.Unix(0, int64(processTime())) }
