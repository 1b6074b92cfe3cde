package model

import (
	"errors"
	"testing"
)

func TestMeterReadsWhatItTimed(t *testing.T) {
	m, err := newMeter()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for range 3 {
		if err := m.slice(func() error { ran++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if r := m.read(); ran != 3 || len(r.bursts) != 3 || r.bursts[0] <= 0 || r.spent < 0 {
		t.Errorf("ran %d times: %+v", ran, r)
	}
	if r := m.read(); len(r.bursts) != 0 || r.spent != 0 {
		t.Errorf("reads again %+v", r)
	}
	broken := errors.New("broken")
	if err := m.slice(func() error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestOutlastWaits(t *testing.T) {
	left := 9
	if err := outlast(func() int { left--; return left }, 3); err != nil || left != 3 {
		t.Errorf("%d goroutines are left, %v: want 3", left, err)
	}
}
