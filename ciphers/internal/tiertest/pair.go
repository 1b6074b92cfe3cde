// Package tiertest has what the tests and benchmarks of several families of kernels share.
package tiertest

import (
	"slices"
	"testing"
	"time"
)

// Pair runs two things in turns, so many calls of each at a time, so that both see the same
// machine. It reports the medians of what a packet of count costs, and of the ratios.
func Pair(b *testing.B, count, calls int, ours, std func()) {
	var x, y, ratios []float64
	for b.Loop() {
		t, u := Timed(ours, calls), Timed(std, calls)
		x, y, ratios = append(x, t), append(y, u), append(ratios, u/t)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(Median(x)/float64(count), "ns/packet")
	b.ReportMetric(Median(y)/float64(count), "std-ns/packet")
	b.ReportMetric(Median(ratios), "ratio")
}

// Timed is the time of one of so many calls in ns.
func Timed(f func(), calls int) float64 {
	start := time.Now()
	for range calls {
		f()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(calls)
}

// Median puts x, which is not empty, in order.
func Median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
