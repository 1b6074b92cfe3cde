package probe

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
)

// Ranges against a set, in random order and with repetitions.
func TestRangesAgainstASet(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		var r ranges
		set := map[uint64]bool{}
		for range 40 {
			n := random.Uint64N(50)
			r.add(n)
			set[n] = true
		}
		var listed []uint64
		for i, one := range r {
			if one.Low > one.High || i > 0 && one.High+1 >= r[i-1].Low {
				t.Fatalf("seed %d: %v", seed, r)
			}
			for n := one.Low; n <= one.High; n++ {
				listed = append(listed, n)
			}
		}
		if len(listed) != len(set) || slices.ContainsFunc(listed, func(n uint64) bool { return !set[n] }) {
			t.Fatalf("seed %d: %v, not %v", seed, r, set)
		}
	}
}

func TestRangesForgetTheOldest(t *testing.T) {
	var r ranges
	for n := range uint64(100) {
		r.add(2 * n)
	}
	if len(r) != maxRanges || r[0].High != 198 || r[maxRanges-1].Low != 198-2*(maxRanges-1) {
		t.Errorf("%v", r)
	}
}

func TestInboxPutsDataInOrder(t *testing.T) {
	whole := make([]byte, 3000)
	for i := range whole {
		whole[i] = byte(i * i >> 3)
	}
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		var b inbox
		var got []byte
		for len(got) < len(whole) {
			from := random.IntN(len(whole))
			to := min(len(whole), from+1+random.IntN(800))
			if len(b.pending) == maxPending {
				from = len(got)
				to = max(to, from)
			}
			ready, err := b.take(uint64(from), whole[from:to])
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, ready...)
		}
		if !bytes.Equal(got, whole) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestInboxIsBounded(t *testing.T) {
	var b inbox
	if _, err := b.take(maxPendingBehind, []byte{1}); err == nil {
		t.Error("took what is too far ahead")
	}
	for i := range maxPending {
		if _, err := b.take(uint64(1+2*i), []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.take(1000, []byte{1}); err == nil {
		t.Error("took one piece too many")
	}
}

func TestOutboxSendsAgain(t *testing.T) {
	var b outbox
	b.write([]byte("hello, "))
	b.write([]byte("world"))
	got := make([]byte, 12)
	var spans []span
	for len(b.queue) > 0 {
		payload, s := b.append(nil, frame.MaxCryptoOverhead+3)
		f, _, err := frame.Read(payload)
		if err != nil || len(f.Data) > 3 {
			t.Fatalf("%+v, %v", f, err)
		}
		copy(got[f.Offset:], f.Data)
		spans = append(spans, s)
	}
	if string(got) != "hello, world" {
		t.Errorf("%q", got)
	}
	b.again(spans[1:2])
	payload, _ := b.append(nil, 100)
	if f, _, _ := frame.Read(payload); f.Offset != 3 || string(f.Data) != "lo," || len(b.queue) != 0 {
		t.Errorf("%+v", f)
	}
}

// Appendix A.7 of RFC 9002: the least is the plain measurement, the rest are adjusted.
func TestRTT(t *testing.T) {
	var r rtt
	if r.timeout() != 999*time.Millisecond {
		t.Errorf("initial timeout %v", r.timeout())
	}
	r.sample(100*time.Millisecond, 0)
	if r.smoothed != 100*time.Millisecond || r.variation != 50*time.Millisecond {
		t.Errorf("%+v", r)
	}
	r.sample(200*time.Millisecond, 20*time.Millisecond)
	if r.least != 100*time.Millisecond || r.smoothed != 110*time.Millisecond || r.variation != 57500*time.Microsecond {
		t.Errorf("%+v", r)
	}
	r.sample(105*time.Millisecond, 20*time.Millisecond) // less than the least and the delay: not adjusted
	if r.smoothed != 109375*time.Microsecond {
		t.Errorf("%+v", r)
	}
}

func TestLossByNumberAndByTime(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(ms int) time.Time { return now.Add(time.Duration(ms) * time.Millisecond) }
	s := space{flight: []sent{{number: 1, at: at(-100)}, {number: 4, at: at(-20)}, {number: 5, at: at(-5)}, {number: 6, at: at(-4)}}}
	if lost := s.lose(now, 10*time.Millisecond); lost != nil {
		t.Errorf("lost %v before an acknowledgement", lost)
	}
	settled := s.settle([]frame.Range{{Low: 6, High: 6}})
	if len(settled) != 1 || settled[0].number != 6 {
		t.Fatalf("%v", settled)
	}
	lost := s.lose(now, 10*time.Millisecond)
	if len(lost) != 2 || lost[0].number != 1 || lost[1].number != 4 || !s.lossAt.Equal(at(5)) {
		t.Errorf("%v, next at %v", lost, s.lossAt.Sub(now))
	}
}
