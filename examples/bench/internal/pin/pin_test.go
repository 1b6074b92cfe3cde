package pin

import (
	"slices"
	"testing"
	"time"
)

func TestClockRunsWithWorkAlone(t *testing.T) {
	done := make(chan struct{})
	go func() { // whose thread ends with it
		defer close(done)
		if _, err := Thread(); err != nil {
			t.Error(err)
			return
		}
		start := Clock()
		for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; {
		}
		if worked := Clock().Sub(start); worked <= 0 || worked > time.Second {
			t.Errorf("20 ms of work took %v", worked)
		}
	}()
	<-done
}

func TestProcessIsPinnedAndFreed(t *testing.T) {
	before := Cores()
	if len(before) == 0 {
		t.Skip("the system does not say which cores there are")
	}
	last := before[len(before)-1]
	undo, err := Process(last)
	if err != nil {
		t.Fatal(err)
	}
	if now := Cores(); len(now) != 1 || now[0] != last {
		t.Errorf("pinned to %v, want %d", now, last)
	}
	undo()
	if now := Cores(); !slices.Equal(now, before) {
		t.Errorf("then %v, want %v", now, before)
	}
}
