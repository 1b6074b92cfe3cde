package model

import (
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

// processNow is the processor time of all threads as a time, of which only
// differences mean anything.
func processNow() time.Time { return time.Unix(0, int64(processTime())) }
