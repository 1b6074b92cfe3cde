package replay

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

func mustNew(t testing.TB, size int) *Window {
	t.Helper()
	w, err := New(size)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantAccept(t testing.TB, w *Window, number uint64, want Verdict) {
	t.Helper()
	if got := w.Check(number); got != want {
		t.Errorf("Check(%d) = %v, want %v", number, got, want)
	}
	if got := w.Accept(number); got != want {
		t.Errorf("Accept(%d) = %v, want %v", number, got, want)
	}
}

func TestWindow64ReorderedThenRepeated(t *testing.T) {
	w := mustNew(t, 64)
	wantAccept(t, w, 3, Fresh)
	wantAccept(t, w, 5, Fresh)
	wantAccept(t, w, 4, Fresh)
	for _, number := range []uint64{3, 4, 5} {
		wantAccept(t, w, number, Duplicate)
	}
}

func TestWindow32LowEdge(t *testing.T) {
	w := mustNew(t, 32)
	wantAccept(t, w, 40, Fresh)
	wantAccept(t, w, 9, Fresh)
	wantAccept(t, w, 8, TooOld)
	wantAccept(t, w, 10, Fresh)
	wantAccept(t, w, 7, TooOld)
}

func TestZeroValueProtects(t *testing.T) {
	var w Window
	if w.Size() != DefaultSize {
		t.Errorf("Size() = %d, want %d", w.Size(), DefaultSize)
	}
	wantAccept(t, &w, 0, Fresh)
	wantAccept(t, &w, 0, Duplicate)
	wantAccept(t, &w, 64, Fresh)
	wantAccept(t, &w, 1, Fresh)
	wantAccept(t, &w, 0, TooOld)
}

func TestOnlyDisabledTurnsProtectionOff(t *testing.T) {
	w := Disabled()
	for _, number := range []uint64{5, 5, 1 << 40, 0, 5, math.MaxUint64, math.MaxUint64, 0} {
		wantAccept(t, w, number, Fresh)
	}
	if got, ok := w.Highest(); got != math.MaxUint64 || !ok {
		t.Errorf("Highest() = %d, %v", got, ok)
	}
	if w.Size() != 0 {
		t.Errorf("Size() = %d, want 0", w.Size())
	}
}

func TestSizesOffered(t *testing.T) {
	for numbers := 0; numbers <= MaxSize; numbers++ {
		want := DefaultSize
		if numbers != 0 {
			at, _ := slices.BinarySearch(sizes(), numbers)
			want = sizes()[at]
		}
		if got, err := SizeFor(numbers); got != want || err != nil {
			t.Fatalf("SizeFor(%d) = %d, %v, want %d", numbers, got, err, want)
		}
		if w := mustNew(t, numbers); w.Size() != want {
			t.Errorf("New(%d).Size() = %d, want %d", numbers, w.Size(), want)
		}
	}
	for _, numbers := range []int{-1, math.MinInt, MaxSize + 1, 9000, math.MaxInt} {
		if _, err := New(numbers); !errors.Is(err, ErrSize) {
			t.Errorf("New(%d): %v", numbers, err)
		}
	}
}

func TestCheckChangesNothing(t *testing.T) {
	w := mustNew(t, 64)
	w.Check(1 << 40)
	if _, ok := w.Highest(); ok {
		t.Error("Check moved an empty window")
	}
	wantAccept(t, w, 7, Fresh)
	w.Check(1 << 40)
	wantAccept(t, w, 7, Duplicate)
}

func TestHighest(t *testing.T) {
	w := mustNew(t, 64)
	for _, step := range []struct{ accept, want uint64 }{{0, 0}, {9, 9}, {4, 9}, {math.MaxUint64, math.MaxUint64}, {3, math.MaxUint64}} {
		w.Accept(step.accept)
		if got, ok := w.Highest(); got != step.want || !ok {
			t.Errorf("after %d: Highest() = %d, %v, want %d", step.accept, got, ok, step.want)
		}
	}
}

// TestEdgesOfEverySize jumps every interesting distance from every interesting
// base, then asks for each number near every edge.
func TestEdgesOfEverySize(t *testing.T) {
	for _, size := range sizes() {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			for _, base := range bases {
				for _, jump := range edges(uint64(size)) {
					probeJump(t, size, base, jump)
				}
			}
		})
	}
}

func edges(size uint64) []uint64 {
	return []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, size - 1, size, size + 1,
		size + 63, size + 64, size + 65, 2*size - 1, 2 * size, 2*size + 1, 4 * size}
}

// probeJump accepts a number and, if it exists, one a jump below it first; then
// it compares every verdict round the edges with the model.
func probeJump(t *testing.T, size int, top, jump uint64) {
	t.Helper()
	w, m := mustNew(t, size), newModel(size)
	for _, number := range []uint64{top - jump, top - jump/2, top} { // wraps below 0 on purpose: any number is legal
		if got, want := w.Accept(number), m.accept(number); got != want {
			t.Fatalf("top %d, jump %d: Accept(%d) = %v, want %v", top, jump, number, got, want)
		}
	}
	for _, edge := range append(edges(uint64(size)), jump, jump/2) {
		for _, number := range []uint64{m.highest - edge - 1, m.highest - edge, m.highest - edge + 1, m.highest + edge} {
			if got, want := w.Check(number), m.check(number); got != want {
				t.Fatalf("top %d, jump %d: Check(%d) = %v, want %v", top, jump, number, got, want)
			}
		}
	}
}

// TestEveryBitOfEverySize fills a window in a scattered order and finds each
// number a duplicate, and none beside it.
func TestEveryBitOfEverySize(t *testing.T) {
	for _, size := range sizes() {
		w, m := mustNew(t, size), newModel(size)
		const base = 1<<33 + 17
		for i := range 3 * size {
			number := base + uint64(i*7%(3*size)) // 7 has no factor in common with 3*size
			if got, want := w.Accept(number), m.accept(number); got != want {
				t.Fatalf("size %d: Accept(%d) = %v, want %v", size, number, got, want)
			}
		}
		for number := uint64(base - 2); number < base+3*uint64(size)+2; number++ {
			if got, want := w.Check(number), m.check(number); got != want {
				t.Fatalf("size %d: Check(%d) = %v, want %v", size, number, got, want)
			}
		}
	}
}

func TestTopOfTheRange(t *testing.T) {
	w := mustNew(t, 64)
	wantAccept(t, w, math.MaxUint64, Fresh)
	wantAccept(t, w, math.MaxUint64, Duplicate)
	wantAccept(t, w, math.MaxUint64-63, Fresh)
	wantAccept(t, w, math.MaxUint64-64, TooOld)
	wantAccept(t, w, 0, TooOld)
}

func TestNoAllocation(t *testing.T) {
	w := mustNew(t, 1024)
	var number uint64
	allocs := testing.AllocsPerRun(100, func() {
		number += 700
		w.Check(number)
		w.Accept(number)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func TestVerdictNames(t *testing.T) {
	for verdict, want := range map[Verdict]string{0: "no verdict", Fresh: "fresh", Duplicate: "duplicate", TooOld: "too old", 9: "no verdict"} {
		if got := verdict.String(); got != want {
			t.Errorf("Verdict(%d) = %q, want %q", verdict, got, want)
		}
	}
}

func BenchmarkAccept(b *testing.B) {
	for _, size := range []int{64, 1024, 8192} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			w := mustNew(b, size)
			var number uint64
			for b.Loop() {
				w.Accept(number)
				number++
			}
		})
	}
}
