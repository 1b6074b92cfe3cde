package record

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

func limits(t testing.TB, p Protocol) Limits {
	t.Helper()
	l, err := LimitsFor(p, ciphers.AES128GCM, 16)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newSender(t testing.TB, c SenderConfig) *Sender {
	t.Helper()
	s, err := NewSender(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantReserve(t *testing.T, s *Sender, n int, first uint64, granted int, want error) {
	t.Helper()
	gotFirst, got, err := s.Reserve(n)
	if gotFirst != first || got != granted || !errors.Is(err, want) {
		t.Errorf("Reserve(%d) = %d, %d, %v, want %d, %d, %v", n, gotFirst, got, err, first, granted, want)
	}
}

func TestReserveIsConsecutive(t *testing.T) {
	s := newSender(t, SenderConfig{Limits: limits(t, DTLS12), Epoch: 1})
	wantReserve(t, s, 32, 0, 32, nil)
	wantReserve(t, s, 1, 32, 1, nil)
	wantReserve(t, s, 0, 0, 0, nil)
	wantReserve(t, s, -1, 0, 0, nil)
	wantReserve(t, s, 256, 33, 256, nil)
	if s.Used() != 289 || s.Epoch() != 1 {
		t.Errorf("Used() = %d, Epoch() = %d", s.Used(), s.Epoch())
	}
}

// TestSequenceEndsBeforeItWraps has the last number of every format: it is handed
// out, and nothing after it.
func TestSequenceEndsBeforeItWraps(t *testing.T) {
	for _, protocol := range []Protocol{DTLS12, DTLS13, QUIC, ESP, ESPESN} {
		l := limits(t, protocol)
		s := newSender(t, SenderConfig{Limits: l, First: l.MaxNumber - 9})
		wantReserve(t, s, 5, l.MaxNumber-9, 5, nil)
		wantReserve(t, s, 4, l.MaxNumber-4, 4, nil)
		wantReserve(t, s, 4, l.MaxNumber, 1, ErrNumbersExhausted)
		for range 3 {
			wantReserve(t, s, 1, 0, 0, ErrNumbersExhausted)
		}
		if s.Used() != 10 {
			t.Errorf("%v: Used() = %d, want 10", protocol, s.Used())
		}
	}
}

func TestDTLSSequence2To48IsRefused(t *testing.T) {
	s := newSender(t, SenderConfig{Limits: limits(t, DTLS12), Epoch: 1, First: 1<<48 - 1})
	wantReserve(t, s, 1, 1<<48-1, 1, nil)
	wantReserve(t, s, 1, 0, 0, ErrNumbersExhausted)
}

func TestEpoch65535IsTheLast(t *testing.T) {
	l := limits(t, DTLS12)
	newSender(t, SenderConfig{Limits: l, Epoch: 65535})
	if _, err := NewSender(SenderConfig{Limits: l, Epoch: 65536}); !errors.Is(err, ErrEpochsExhausted) {
		t.Errorf("sender: %v", err)
	}
	if _, err := NewReceiver(ReceiverConfig{Limits: l, Epoch: 65536}); !errors.Is(err, ErrEpochsExhausted) {
		t.Errorf("receiver: %v", err)
	}
}

func TestUsageLimitComesFirst(t *testing.T) {
	l := limits(t, QUIC)
	s := newSender(t, SenderConfig{Limits: l, First: 1000})
	s.used.Store(l.Sealed - 3)
	wantReserve(t, s, 2, 1000+1<<23-3, 2, nil)
	wantReserve(t, s, 2, 1000+1<<23-1, 1, ErrUsageLimit)
	wantReserve(t, s, 1, 0, 0, ErrUsageLimit)
}

// TestAllNumbersOf64Bits gives up one of 2^64, and wraps nowhere.
func TestAllNumbersOf64Bits(t *testing.T) {
	for _, first := range []uint64{0, 1} {
		s := newSender(t, SenderConfig{Limits: limits(t, ESPESN), First: first})
		s.used.Store(math.MaxUint64 - 1)
		wantReserve(t, s, 2, math.MaxUint64-1+first, 1, ErrNumbersExhausted)
		wantReserve(t, s, 1, 0, 0, ErrNumbersExhausted)
	}
}

func TestRekeySoon(t *testing.T) {
	for _, test := range []struct {
		protocol Protocol
		soon     uint64
	}{
		{DTLS12, pow24and5},
		{DTLS13, pow24and5 - pow24and5/8},
		{QUIC, 7 << 20},
		{ESP, 7 << 29},
	} {
		s := newSender(t, SenderConfig{Limits: limits(t, test.protocol)})
		s.used.Store(test.soon - 1)
		if s.RekeySoon() {
			t.Errorf("%v: due before %d", test.protocol, test.soon)
		}
		wantReserve(t, s, 1, test.soon-1, 1, nil)
		if !s.RekeySoon() {
			t.Errorf("%v: not due at %d", test.protocol, test.soon)
		}
	}
}

func TestSenderConfigRefused(t *testing.T) {
	l := limits(t, ESP)
	for name, c := range map[string]SenderConfig{
		"no limits":   {},
		"no rekey":    {Limits: Limits{MaxNumber: 9, Sealed: 9, Forged: 9}},
		"first":       {Limits: l, First: 1 << 32},
		"no forgery":  {Limits: Limits{MaxNumber: 9, Sealed: 9, Rekey: 9}},
		"none sealed": {Limits: Limits{MaxNumber: 9, Rekey: 9, Forged: 9}},
	} {
		if _, err := NewSender(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLimitsOfOnesOwn names the one field that is zero, on both sides.
func TestLimitsOfOnesOwn(t *testing.T) {
	own := Limits{MaxNumber: 9, Sealed: 9, Rekey: 9, Forged: 9}
	newSender(t, SenderConfig{Limits: own})
	newReceiver(t, ReceiverConfig{Limits: own})
	for field, limit := range map[string]func(*Limits) *uint64{
		"Limits.MaxNumber": func(l *Limits) *uint64 { return &l.MaxNumber },
		"Limits.Sealed":    func(l *Limits) *uint64 { return &l.Sealed },
		"Limits.Rekey":     func(l *Limits) *uint64 { return &l.Rekey },
		"Limits.Forged":    func(l *Limits) *uint64 { return &l.Forged },
	} {
		l := own
		*limit(&l) = 0
		_, sending := NewSender(SenderConfig{Limits: l})
		_, receiving := NewReceiver(ReceiverConfig{Limits: l})
		for _, err := range []error{sending, receiving} {
			var refused *FieldError
			if !errors.As(err, &refused) || refused.Field != field || !errors.Is(err, ErrConfig) {
				t.Errorf("no %s: %v", field, err)
			}
		}
	}
}

// TestReserveConcurrently takes every number up to the limit from many goroutines:
// each comes once, and none beyond.
func TestReserveConcurrently(t *testing.T) {
	const goroutines, room = 8, 10007
	s := newSender(t, SenderConfig{Limits: Limits{MaxNumber: 1 << 20, Sealed: room, Rekey: Unlimited, Forged: 1}, First: 5})
	got := make([][]uint64, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { got[g] = reserveAll(s, 1+g*3) })
	}
	wg.Wait()
	all := slices.Concat(got...)
	slices.Sort(all)
	if len(all) != room {
		t.Fatalf("%d numbers, want %d", len(all), room)
	}
	for i, number := range all {
		if number != uint64(i)+5 {
			t.Fatalf("number %d is %d", i, number)
		}
	}
}

func reserveAll(s *Sender, burst int) (numbers []uint64) {
	for {
		first, granted, err := s.Reserve(burst)
		for i := range granted {
			numbers = append(numbers, first+uint64(i))
		}
		if err != nil {
			return numbers
		}
	}
}

func TestReserveDoesNotAllocate(t *testing.T) {
	s := newSender(t, SenderConfig{Limits: Limits{MaxNumber: 1000, Sealed: 500, Rekey: 400, Forged: 1}})
	allocs := testing.AllocsPerRun(100, func() { // the limit comes on the way
		_, _, _ = s.Reserve(32)
		_ = s.RekeySoon()
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestUsedNumbersAreCountedWhereTheUserSays, before they are handed out.
func TestUsedNumbersAreCountedWhereTheUserSays(t *testing.T) {
	var used atomic.Uint64
	used.Store(1 << 40) // from whoever had the memory before
	s := newSender(t, SenderConfig{Limits: limits(t, ESP), First: 1<<32 - 10, Used: &used})
	for _, step := range []struct{ n, granted, used uint64 }{{0, 0, 0}, {3, 3, 3}, {5, 5, 8}, {5, 2, 10}, {1, 0, 10}} {
		_, granted, _ := s.Reserve(int(step.n))
		if granted != int(step.granted) || used.Load() != step.used || s.Used() != step.used {
			t.Errorf("%d of %d granted, %d counted; want %d", granted, step.n, used.Load(), step.used)
		}
	}
}
