package replay

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom(sizes()).Draw(t, "size")
		w, err := New(size)
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(size)
		cursor := rapid.SampledFrom(bases).Draw(t, "base")
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			cursor += uint64(rapid.Int64Range(-3*int64(size), 3*int64(size)).Draw(t, "step"))
			compare(t, w, m, cursor)
		}
	})
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func compare(t failer, w *Window, m *model, number uint64) {
	t.Helper()
	want := m.check(number)
	if got := w.Check(number); got != want {
		t.Fatalf("Check(%d) = %v, want %v (highest %d)", number, got, want, m.highest)
	}
	m.accept(number)
	if got := w.Accept(number); got != want {
		t.Fatalf("Accept(%d) = %v, want %v (highest %d)", number, got, want, m.highest)
	}
}

// A row leaves the window as its numbers leave it one by one, and is refused where one of
// them might not be fresh.
func TestRowsAreAcceptedLikeTheirNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom(sizes()).Draw(t, "size")
		w, err := New(size)
		v, err2 := New(size)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		cursor := rapid.SampledFrom(bases).Draw(t, "base")
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			cursor += uint64(rapid.Int64Range(-int64(size), 3*int64(size)).Draw(t, "step"))
			n := rapid.OneOf(rapid.IntRange(-1, 3), rapid.IntRange(0, 256), rapid.IntRange(0, 5*size)).Draw(t, "row")
			acceptRow(t, w, v, cursor, n)
		}
	})
}

// acceptRow gives a row to w, and its numbers to v.
func acceptRow(t failer, w, v *Window, first uint64, n int) {
	t.Helper()
	fits := n > 0 && first > w.highest && first-1+uint64(n) >= first
	if got := w.AcceptRow(first, n); got != fits {
		t.Fatalf("AcceptRow(%d, %d) = %v after %d", first, n, got, v.highest)
	}
	for i := 0; i < n && fits; i++ {
		if verdict := v.Accept(first + uint64(i)); verdict != Fresh {
			t.Fatalf("%d of the row from %d: %v", i, first, verdict)
		}
	}
	if w.highest != v.highest || !slices.Equal(w.blocks(), v.blocks()) {
		t.Fatalf("after the row of %d from %d: %d %x, one by one %d %x", n, first, w.highest, w.blocks(), v.highest, v.blocks())
	}
}

// FuzzWindow reads a size, a first number and a row of signed 16-bit steps.
func FuzzWindow(f *testing.F) {
	f.Add(uint8(0), uint64(0), []byte{0, 1, 0xff, 0xff, 0, 32, 0xff, 0xe0})
	f.Add(uint8(1), uint64(1<<48-1), []byte{0, 64, 0xff, 0xc0, 0, 63})
	f.Add(uint8(8), ^uint64(0), []byte{0xe0, 0, 0x20, 0, 0, 1})
	f.Fuzz(func(t *testing.T, choice uint8, cursor uint64, steps []byte) {
		size := sizes()[int(choice)%len(sizes())]
		w, m := mustNew(t, size), newModel(size)
		for ; len(steps) >= 2; steps = steps[2:] {
			cursor += uint64(int64(int16(binary.BigEndian.Uint16(steps))))
			compare(t, w, m, cursor)
		}
	})
}
