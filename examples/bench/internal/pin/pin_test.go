package pin

import (
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
