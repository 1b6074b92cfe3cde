package engine

import (
	"testing"
	"time"
)

func TestQueueStatsDivide(t *testing.T) {
	earlier := ExchangeQueueStats{Batches: 10, Exchanges: 40, Waited: 80 * time.Microsecond}
	if fill, wait := earlier.Fill(), earlier.MeanWait(); fill != 4 || wait != 2*time.Microsecond {
		t.Errorf("%v a batch, which waited %v", fill, wait)
	}
	later := ExchangeQueueStats{Exchanges: 640}
	if rate := later.Rate(earlier, 3*time.Second); rate != 200 {
		t.Errorf("%v a second", rate)
	}
	var none ExchangeQueueStats
	if fill, wait := none.Fill(), none.MeanWait(); fill != 0 || wait != 0 {
		t.Errorf("of a queue without exchanges: %v a batch, which waited %v", fill, wait)
	}
}
