package record

import (
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

func TestEveryDropHasItsOwnName(t *testing.T) {
	seen := map[string]Drop{}
	for d := range Drop(NumDrops) {
		name := d.String()
		if other, taken := seen[name]; taken || name == "" {
			t.Errorf("Drop(%d) and Drop(%d) are both %q", d, other, name)
		}
		seen[name] = d
	}
	if got := Drop(NumDrops).String(); got != "unknown" {
		t.Errorf("past the end: %q", got)
	}
	if got := Drop(0).String(); got != "none" {
		t.Errorf("zero value: %q", got)
	}
}

// TestDropOfEveryStatus makes sure that only a success is no drop, a new status included.
func TestDropOfEveryStatus(t *testing.T) {
	want := map[ciphers.Status]Drop{
		ciphers.StatusOK:        DropNone,
		ciphers.StatusAuth:      DropUnauthentic,
		ciphers.StatusKeyClosed: DropClosed,
		ciphers.StatusEngine:    DropClosed,
		ciphers.StatusTailroom:  DropTailroom,
		ciphers.StatusTooLong:   DropTooLong,
		ciphers.StatusPayload:   DropTruncated,
	}
	for status := range ciphers.Status(ciphers.NumStatus + 1) {
		expected, ok := want[status]
		if !ok {
			expected = DropFailed
		}
		if got := DropOf(status); got != expected {
			t.Errorf("DropOf(%v) = %v, want %v", status, got, expected)
		}
	}
}

func TestDropsAddedConcurrently(t *testing.T) {
	const goroutines, bursts = 8, 500
	var drops Drops
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range bursts {
				drops.Add(&Tally{DropNone: 29, DropReplayed: 1, DropFailed: 2})
				drops.Count(DropNone, 1)
				_ = drops.Snapshot()
			}
		})
	}
	wg.Wait()
	want := Tally{DropNone: 30 * goroutines * bursts, DropReplayed: goroutines * bursts, DropFailed: 2 * goroutines * bursts}
	if got := drops.Snapshot(); got != want {
		t.Errorf("Snapshot() = %v, want %v", got, want)
	}
}

func TestDropsDoNotAllocate(t *testing.T) {
	var drops Drops
	var tally Tally
	tally[DropType] = 1
	allocs := testing.AllocsPerRun(100, func() {
		drops.Add(&tally)
		_ = drops.Snapshot()
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
