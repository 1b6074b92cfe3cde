package record

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record/replay"
	"pgregory.net/rapid"
)

func newReceiver(t testing.TB, c ReceiverConfig) *Receiver {
	t.Helper()
	r, err := NewReceiver(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func arrivals(numbers ...uint64) []Arrival {
	burst := make([]Arrival, len(numbers))
	for i, number := range numbers {
		burst[i].Number = number
	}
	return burst
}

func wantDrops(t testing.TB, what string, burst []Arrival, want ...Drop) {
	t.Helper()
	for i, a := range burst {
		if a.Drop != want[i] {
			t.Errorf("%s: number %d: %v, want %v", what, a.Number, a.Drop, want[i])
		}
	}
}

func TestBurstWithDuplicatesAndForgeries(t *testing.T) {
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, DTLS12), Epoch: 1, Window: 32})
	first := arrivals(40, 9)
	if open, deliver := r.Look(first), r.Settle(first); open != 2 || deliver != 2 {
		t.Fatalf("opened %d, delivered %d", open, deliver)
	}
	burst := arrivals(41, 9, 8, 41, 42, 43, 50)
	burst[6].Drop = DropMalformed
	if got := r.Look(burst); got != 4 {
		t.Errorf("Look = %d, want 4", got)
	}
	wantDrops(t, "looked", burst, DropNone, DropReplayed, DropTooOld, DropNone, DropNone, DropNone, DropMalformed)
	burst[4].Drop = DropUnauthentic
	burst[5].Drop = DropFailed
	if got := r.Settle(burst); got != 1 {
		t.Errorf("Settle = %d, want 1", got)
	}
	wantDrops(t, "settled", burst, DropNone, DropReplayed, DropTooOld, DropReplayed, DropUnauthentic, DropFailed, DropMalformed)
	if highest, ok := r.Highest(); highest != 41 || !ok {
		t.Errorf("Highest() = %d, %v, want 41: only authentic numbers move the window", highest, ok)
	}
	if r.Failed() != 1 || r.Epoch() != 1 || r.Window() != 32 {
		t.Errorf("Failed() = %d, Epoch() = %d, Window() = %d", r.Failed(), r.Epoch(), r.Window())
	}
}

// TestBurstMovesPastItsOwn has a number far ahead settle before one that was fresh
// when the burst was looked at.
func TestBurstMovesPastItsOwn(t *testing.T) {
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, QUIC)})
	burst := arrivals(1000, 1, 937)
	r.Look(burst)
	r.Settle(burst)
	wantDrops(t, "settled", burst, DropNone, DropTooOld, DropNone)
}

func TestLookChangesNothing(t *testing.T) {
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, QUIC)})
	r.Look(arrivals(1, 1<<40))
	if _, ok := r.Highest(); ok {
		t.Error("Look moved the window")
	}
}

func TestReplayProtectionIsOnByDefault(t *testing.T) {
	l := limits(t, DTLS12)
	r := newReceiver(t, ReceiverConfig{Limits: l})
	burst := arrivals(5, 5)
	r.Settle(burst)
	wantDrops(t, "protected", burst, DropNone, DropReplayed)
	if r.Window() != replay.DefaultSize {
		t.Errorf("Window() = %d", r.Window())
	}

	r = newReceiver(t, ReceiverConfig{Limits: l, NoReplay: true})
	burst = arrivals(5, 5, 1000, 5)
	if open, deliver := r.Look(burst), r.Settle(burst); open != 4 || deliver != 4 {
		t.Errorf("turned off: opened %d, delivered %d", open, deliver)
	}
	if highest, _ := r.Highest(); highest != 1000 || r.Window() != 0 {
		t.Errorf("turned off: Highest() = %d, Window() = %d", highest, r.Window())
	}
}

func TestIntegrityLimit(t *testing.T) {
	l := limits(t, QUIC)
	l.Forged = 10
	r := newReceiver(t, ReceiverConfig{Limits: l})
	forge(t, r, 8, 8)
	if err := r.Err(); err != nil {
		t.Errorf("before the limit: %v", err)
	}
	burst := arrivals(1, 2, 3)
	if got := r.Look(burst); got != 2 {
		t.Errorf("Look = %d with room for 2 attempts", got)
	}
	wantDrops(t, "near the limit", burst, DropNone, DropNone, DropLimit)
	r.Settle(burst)
	forge(t, r, 5, 2)
	if err := r.Err(); !errors.Is(err, ErrIntegrityLimit) || r.Failed() != 10 {
		t.Errorf("at the limit: %v after %d", err, r.Failed())
	}
	burst = arrivals(100, 1, 101)
	if got := r.Look(burst); got != 0 {
		t.Errorf("Look = %d at the limit", got)
	}
	wantDrops(t, "at the limit", burst, DropLimit, DropReplayed, DropLimit)
	late := []Arrival{{200, DropUnauthentic}} // looked at before the limit was reached
	r.Settle(late)
	if r.Failed() != 10 || r.Err() == nil {
		t.Errorf("past the limit: %d, %v", r.Failed(), r.Err())
	}
}

// forge sends n forgeries, of which so many may be tried.
func forge(t *testing.T, r *Receiver, n, tried int) {
	t.Helper()
	burst := make([]Arrival, n)
	for i := range burst {
		burst[i].Number = uint64(1000 + i)
	}
	if got := r.Look(burst); got != tried {
		t.Errorf("Look = %d, want %d", got, tried)
	}
	for i := range burst {
		if burst[i].Drop == DropNone {
			burst[i].Drop = DropUnauthentic
		}
	}
	if got := r.Settle(burst); got != 0 {
		t.Errorf("Settle delivered %d forgeries", got)
	}
}

func TestReceiverConfigRefused(t *testing.T) {
	l := limits(t, ESP)
	for name, c := range map[string]ReceiverConfig{
		"no limits":      {},
		"window":         {Limits: l, Window: 8193},
		"window off too": {Limits: l, Window: 64, NoReplay: true},
	} {
		if _, err := NewReceiver(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewReceiver(ReceiverConfig{Limits: l, Window: -1}); !errors.Is(err, replay.ErrSize) || err.Error() != "record: Window: -1 is not 0 to 8192" {
		t.Errorf("window of -1: %v", err)
	}
}

// TestSettlePackets has a forged packet between good ones, one that nobody processed, and fewer
// packets than arrivals: what was not opened neither moves the window nor is delivered.
func TestSettlePackets(t *testing.T) {
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, DTLS12)})
	burst := []Arrival{{Number: 1}, {Number: 900, Drop: DropMalformed}, {Number: 500}, {Number: 2}, {Number: 800}, {Number: 2}, {Number: 700}}
	packets := []ciphers.Packet{
		{Status: ciphers.StatusOK}, {Status: ciphers.StatusAuth}, {Status: ciphers.StatusOK}, {}, {Status: ciphers.StatusOK},
	}
	if got := r.SettlePackets(burst, packets); got != 2 {
		t.Errorf("%d delivered, want 2", got)
	}
	for i, want := range []Drop{DropNone, DropMalformed, DropUnauthentic, DropNone, DropFailed, DropReplayed, DropFailed} {
		if burst[i].Drop != want {
			t.Errorf("arrival %d: %v, want %v", i, burst[i].Drop, want)
		}
	}
	if highest, _ := r.Highest(); highest != 2 || r.Failed() != 1 {
		t.Errorf("highest %d and %d failed, want 2 and 1", highest, r.Failed())
	}
}

// TestEachNumberIsDeliveredOnce has many goroutines receive the same numbers.
func TestEachNumberIsDeliveredOnce(t *testing.T) {
	const goroutines, numbers, burstSize = 6, 4096, 32
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, DTLS12), Window: 8192})
	var mu sync.Mutex
	delivered := make([]int, numbers)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for at := uint64(0); at < numbers; at += burstSize {
				burst := make([]Arrival, burstSize)
				for i := range burst {
					burst[i].Number = at + uint64(i)
				}
				r.Look(burst)
				r.Settle(burst)
				mu.Lock()
				for _, a := range burst {
					if a.Drop == DropNone {
						delivered[a.Number]++
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for number, times := range delivered {
		if times != 1 {
			t.Fatalf("number %d was delivered %d times", number, times)
		}
	}
}

// TestNothingIsDeliveredTwice drives bursts of authentic, forged and broken records
// against a plain set of what was delivered.
func TestNothingIsDeliveredTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, err := NewReceiver(ReceiverConfig{Limits: Limits{MaxNumber: 1 << 20, Sealed: 1, Rekey: 1, Forged: 1 << 20}, Window: 64})
		if err != nil {
			t.Fatal(err)
		}
		delivered := map[uint64]bool{}
		forged := 0
		for range rapid.IntRange(1, 20).Draw(t, "bursts") {
			burst := arrivals(rapid.SliceOfN(rapid.Uint64Range(0, 300), 0, 40).Draw(t, "numbers")...)
			r.Look(burst)
			for i := range burst {
				if burst[i].Drop == DropNone && rapid.IntRange(0, 4).Draw(t, "forged") == 0 {
					burst[i].Drop = DropUnauthentic
					forged++
				}
			}
			r.Settle(burst)
			checkDelivered(t, r, burst, delivered)
		}
		if r.Failed() != uint64(forged) {
			t.Fatalf("Failed() = %d, want %d", r.Failed(), forged)
		}
	})
}

func checkDelivered(t *rapid.T, r *Receiver, burst []Arrival, delivered map[uint64]bool) {
	for _, a := range burst {
		if a.Drop == DropReplayed && !delivered[a.Number] {
			t.Fatalf("%d is a replay of nothing", a.Number)
		}
		if a.Drop != DropNone {
			continue
		}
		if delivered[a.Number] {
			t.Fatalf("%d was delivered twice", a.Number)
		}
		delivered[a.Number] = true
	}
	var highest uint64
	for number := range delivered {
		highest = max(highest, number)
	}
	if got, ok := r.Highest(); got != highest || ok != (len(delivered) > 0) {
		t.Fatalf("Highest() = %d, %v, want %d of %d", got, ok, highest, len(delivered))
	}
}

func TestReceiverDoesNotAllocate(t *testing.T) {
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, DTLS12), Window: 1024})
	burst := make([]Arrival, 32)
	var number uint64
	allocs := testing.AllocsPerRun(100, func() {
		for i := range burst {
			burst[i] = Arrival{Number: number}
			number++
		}
		r.Look(burst)
		r.Settle(burst)
		_ = r.Err()
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkReceiver(b *testing.B) {
	for _, size := range []int{1, 32, 256} {
		b.Run(fmt.Sprintf("burst=%d", size), func(b *testing.B) {
			r := newReceiver(b, ReceiverConfig{Limits: limits(b, ESPESN), Window: 1024})
			burst := make([]Arrival, size)
			var number uint64
			for b.Loop() {
				for i := range burst {
					burst[i] = Arrival{Number: number}
					number++
				}
				r.Look(burst)
				r.Settle(burst)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/packet")
		})
	}
}

// TestHighestIsToldBeforeItIsDelivered: who reads it after Settle knows of all that was
// accepted, and of nothing else.
func TestHighestIsToldBeforeItIsDelivered(t *testing.T) {
	told := uint64(1 << 40) // from whoever had the memory before
	r := newReceiver(t, ReceiverConfig{Limits: limits(t, QUIC), Highest: &told})
	for _, step := range []struct {
		numbers []uint64
		forged  bool
		want    uint64
	}{
		{[]uint64{9}, true, 1 << 40}, // nothing was accepted yet
		{[]uint64{3, 7, 5}, false, 7},
		{[]uint64{1000, 1001}, true, 7},
		{[]uint64{6, 7, 5}, false, 7},
		{[]uint64{1 << 61, 2}, false, 1 << 61},
		{[]uint64{2, 3}, false, 1 << 61},
	} {
		burst := arrivals(step.numbers...)
		r.Look(burst)
		for i := range burst {
			if step.forged {
				burst[i].Drop = DropUnauthentic
			}
		}
		r.Settle(burst)
		if told != step.want {
			t.Errorf("after %v: told %d, want %d", step.numbers, told, step.want)
		}
	}
}
