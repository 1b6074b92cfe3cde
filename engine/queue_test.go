package engine

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"go.uber.org/goleak"
)

// queued are the engines that every test of queues runs on: workers alone, and a
// device beside them.
func queued(t *testing.T, run func(t *testing.T, e *Engine)) {
	t.Run("workers", func(t *testing.T) { run(t, portable(t)) })
	t.Run("device", func(t *testing.T) { run(t, offloaded(t, &fakeDevice{lanes: 4, inFlight: 3})) })
}

func TestQueueDoesWhatTheEngineDoes(t *testing.T) {
	queued(t, func(t *testing.T, e *Engine) {
		q := mustQueue(t, e, QueueConfig{})
		for _, alg := range packetAEADs() {
			if alg.Integrity() == 0 {
				compareQueue(t, e, q, alg)
			}
		}
	})
}

// compareQueue seals, opens and forges on the queue, and wants what the portable
// engine makes.
func compareQueue(t *testing.T, e *Engine, q *Queue, alg Algorithm) {
	t.Helper()
	plain := portable(t)
	want, got := sealable(mustKey(t, plain, specOf(alg, ciphers.Sealing)), 40), sealable(mustKey(t, e, specOf(alg, ciphers.Sealing)), 40)
	plain.Seal(want)
	submit(t, q, Work{Op: OpSeal, Packets: got})
	pollAll(t, q, 1)
	openable(want, mustKey(t, plain, specOf(alg, ciphers.Opening)))
	openable(got, mustKey(t, e, specOf(alg, ciphers.Opening)))
	compare(t, got, want)
	want[7].Buf[30] ^= 1
	got[7].Buf[30] ^= 1
	want[9].Off, got[9].Off = 999, 999
	plain.Open(want)
	submit(t, q, Work{Op: OpOpen, Packets: got})
	pollAll(t, q, 1)
	compare(t, got, want)
	wantStatus(t, &got[7], ciphers.StatusAuth)
	wantStatus(t, &got[9], ciphers.StatusPayload)
}

func compare(t *testing.T, got, want []Packet) {
	t.Helper()
	for i := range want {
		if got[i].Status != want[i].Status || !bytes.Equal(got[i].Buf, want[i].Buf) {
			t.Errorf("packet %d: status %v, want %v; %x, want %x", i, got[i].Status, want[i].Status, got[i].Buf, want[i].Buf)
		}
	}
}

func submit(t testing.TB, q *Queue, w Work) {
	t.Helper()
	if err := q.Submit(w); err != nil {
		t.Fatal(err)
	}
}

func TestQueueMasks(t *testing.T) {
	e := portable(t)
	q := mustQueue(t, e, QueueConfig{Workers: 1})
	for alg := range protocols {
		want, got := withMasks(t, e, alg, 9), withMasks(t, e, alg, 9)
		wantMasks, masks := make([]byte, 16*9), make([]byte, 16*9)
		for _, op := range []Op{OpMask, OpSealMask} {
			if op == OpMask {
				e.Mask(wantMasks, want)
			} else {
				e.SealMask(wantMasks, want)
			}
			submit(t, q, Work{Op: op, Packets: got, Masks: masks})
			pollAll(t, q, 1)
			compare(t, got, want)
			if !bytes.Equal(masks, wantMasks) {
				t.Errorf("%v, operation %d: masks %x, want %x", alg, op, masks, wantMasks)
			}
		}
	}
}

func TestQueueRefuses(t *testing.T) {
	e := portable(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	q := mustQueue(t, e, QueueConfig{Depth: 2})
	for field, w := range map[string]Work{
		"Op":      {Op: 0, Packets: sealable(k, 1)},
		"Packets": {Op: OpSeal, Packets: sealable(k, ciphers.MaxBurst+1)},
	} {
		var f *ciphers.FieldError
		if err := q.Submit(w); !errors.As(err, &f) || f.Field != field || w.Packets[0].Status != ciphers.StatusNone {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := q.Submit(Work{Op: OpSealMask + 1, Packets: sealable(k, 1)}); err == nil {
		t.Error("an operation that is none was taken")
	}
	if err := q.Submit(Work{Op: OpSeal}); err == nil {
		t.Error("an empty burst was taken")
	}
	for says, c := range map[string]QueueConfig{
		"Depth: -1 is not 1 to 65536": {Depth: -1}, "Depth: 65537 is not": {Depth: maxDepth + 1},
		"Workers: -1 is not 1 to 1024": {Workers: -1}, "Workers: 100000 is not": {Workers: 100_000},
	} {
		var f *ciphers.FieldError
		if _, err := e.NewQueue(c); !errors.As(err, &f) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestFullQueueRefusesAndKeepsPackets(t *testing.T) {
	d := &fakeDevice{lanes: 1, inFlight: 1, held: true}
	e := offloaded(t, d)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	q := mustQueue(t, e, QueueConfig{Depth: 3})
	for range 3 {
		submit(t, q, Work{Op: OpSeal, Packets: sealable(k, 2)})
	}
	ps := sealable(k, 2)
	before := bytes.Clone(ps[0].Buf)
	if err := q.Submit(Work{Op: OpSeal, Packets: ps}); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a fourth burst: %v", err)
	}
	if !bytes.Equal(ps[0].Buf, before) || ps[0].Status != ciphers.StatusNone {
		t.Error("a refused packet was touched")
	}
	if n := q.Poll(make([]Work, 3)); n != 0 {
		t.Errorf("%d bursts came back from a device that holds them", n)
	}
	if st := q.Stats(); st.Depth != 3 || st.Deepest != 3 || st.Capacity != 3 || st.Rejected != 1 || st.Bursts != 3 || st.MeanBurst() != 2 {
		t.Errorf("%+v", st)
	}
	d.hold(false)
	pollAll(t, q, 3)
	submit(t, q, Work{Op: OpSeal, Packets: ps})
	pollAll(t, q, 1)
	if st := q.Stats(); st.Depth != 0 || d.bursts() != 4 {
		t.Errorf("%+v, and the device took %d bursts", st, d.bursts())
	}
}

// TestMixedBurstsAreTheWorkers: a burst of a device's and another algorithm is
// done whole by the workers.
func TestMixedBurstsAreTheWorkers(t *testing.T) {
	d := &fakeDevice{lanes: 1, inFlight: 4}
	e := offloaded(t, d)
	q := mustQueue(t, e, QueueConfig{})
	ps := append(sealable(mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), 2), sealable(mustKey(t, e, specOf(ciphers.ChaCha20Poly1305, ciphers.Sealing)), 2)...)
	submit(t, q, Work{Op: OpSeal, Packets: ps})
	for _, p := range pollAll(t, q, 1)[0].Packets {
		wantStatus(t, &p, ciphers.StatusOK)
	}
	if d.bursts() != 0 {
		t.Error("the device took a mixed burst")
	}
	if got := e.Stats().Seal; got.Bursts != 1 || got.OK != 4 {
		t.Errorf("%+v", got)
	}
}

// TestLoneBurstsAreTheWorkers: so few packets that the plan has another backend for
// them do not go to the device.
func TestLoneBurstsAreTheWorkers(t *testing.T) {
	d := &fakeDevice{lanes: 1, inFlight: 4}
	b := &ciphers.Backend{
		Name: "fake0", Priority: 5, Lone: map[Algorithm]int{ciphers.AES128GCM: 2},
		AEADs: map[Algorithm]ciphers.AEAD{ciphers.AES128GCM: &fakeAEAD{std(t).AEADs[ciphers.AES128GCM], d}},
	}
	e := only(t, b, std(t))
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	q := mustQueue(t, e, QueueConfig{})
	for n, bursts := range []int{1: 0, 2: 0, 3: 1} {
		if n == 0 {
			continue
		}
		submit(t, q, Work{Op: OpSeal, Packets: sealable(k, n)})
		wantStatus(t, &pollAll(t, q, 1)[0].Packets[n-1], ciphers.StatusOK)
		if d.bursts() != bursts {
			t.Errorf("after %d packets the device has taken %d bursts, want %d", n, d.bursts(), bursts)
		}
	}
}

func TestQueueRefusesKeysOfOtherEngines(t *testing.T) {
	e := offloaded(t, &fakeDevice{lanes: 1, inFlight: 4})
	other := offloaded(t, &fakeDevice{lanes: 1, inFlight: 4})
	q := mustQueue(t, e, QueueConfig{})
	submit(t, q, Work{Op: OpSeal, Packets: sealable(mustKey(t, other, specOf(ciphers.AES128GCM, ciphers.Sealing)), 2)})
	wantStatus(t, &pollAll(t, q, 1)[0].Packets[1], ciphers.StatusKey)
}

func TestBrokenDeviceIsReported(t *testing.T) {
	d := &fakeDevice{lanes: 1, inFlight: 4, broken: true}
	e := offloaded(t, d)
	q := mustQueue(t, e, QueueConfig{})
	submit(t, q, Work{Op: OpSeal, Packets: sealable(mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), 5)})
	wantStatus(t, &pollAll(t, q, 1)[0].Packets[4], ciphers.StatusBackend)
	r := e.Report()
	if len(r.Devices) != 1 || r.Devices[0].Failed != 5 || r.Devices[0].Name != "fake0" {
		t.Errorf("%+v", r.Devices)
	}
	if want := "device fake0: 0 packets in place, 0 copied, 5 failed: unplugged\n"; !bytes.Contains([]byte(r.String()), []byte(want)) {
		t.Errorf("%s", r)
	}
	if got := e.Stats().Causes["backend"]; got != 5 {
		t.Errorf("%d packets counted as backend", got)
	}
}

func TestNoLaneLeft(t *testing.T) {
	d := &fakeDevice{lanes: 1, inFlight: 4}
	e := offloaded(t, d)
	q := mustQueue(t, e, QueueConfig{})
	if _, err := e.NewQueue(QueueConfig{}); !errors.Is(err, errNoLane) {
		t.Errorf("a second lane: %v", err)
	}
	q.Close()
	mustQueue(t, e, QueueConfig{}).Close()
}

// TestOrderAmongManySubmitters: each submitter's bursts come back in its order, and
// every burst once.
func TestOrderAmongManySubmitters(t *testing.T) {
	queued(t, func(t *testing.T, e *Engine) {
		const submitters, each = 8, 60
		gcm, chacha := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), mustKey(t, e, specOf(ciphers.ChaCha20Poly1305, ciphers.Sealing))
		q := mustQueue(t, e, QueueConfig{Depth: 16, Workers: 3})
		var wg sync.WaitGroup
		for who := range submitters {
			wg.Go(func() {
				for n := range each {
					k := gcm
					if n%3 == 0 {
						k = chacha
					}
					w := Work{Op: OpSeal, Packets: sealable(k, 1+n%7), Tag: [2]int{who, n}}
					for errors.Is(q.Submit(w), ErrQueueFull) {
						time.Sleep(10 * time.Microsecond)
					}
				}
			})
		}
		var last [submitters]int
		for _, w := range pollAll(t, q, submitters*each) {
			tag := w.Tag.([2]int)
			if tag[1] != last[tag[0]] {
				t.Fatalf("burst %d of submitter %d came back, and %d was due", tag[1], tag[0], last[tag[0]])
			}
			last[tag[0]]++
			wantStatus(t, &w.Packets[len(w.Packets)-1], ciphers.StatusOK)
		}
		wg.Wait()
		if n := q.Poll(make([]Work, 1)); n != 0 {
			t.Error("a burst came back twice")
		}
	})
}

func TestReady(t *testing.T) {
	e := portable(t)
	q := mustQueue(t, e, QueueConfig{})
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	for range 50 {
		submit(t, q, Work{Op: OpSeal, Packets: sealable(k, 1)})
		submit(t, q, Work{Op: OpSeal, Packets: sealable(k, 1)})
		var done [1]Work
		for n := 0; n < 2; {
			select {
			case <-q.Ready():
				n += q.Poll(done[:])
			case <-time.After(time.Minute):
				t.Fatal("never ready")
			}
		}
	}
}

func TestQueuesAllocateNothing(t *testing.T) {
	queued(t, func(t *testing.T, e *Engine) {
		q := mustQueue(t, e, QueueConfig{})
		ps := sealable(mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), 32)
		var done [1]Work
		if n := allocates(t, func() {
			submit(t, q, Work{Op: OpSeal, Packets: ps, Tag: &ps[0]})
			for q.Poll(done[:]) == 0 {
				time.Sleep(time.Microsecond)
			}
		}); n != 0 {
			t.Errorf("a burst allocates %v times", n)
		}
	})
}

// TestQueueLeavesNothing closes queue and engine in every order, with bursts inside.
func TestQueueLeavesNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	queued(t, func(t *testing.T, e *Engine) {
		k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
		one, two := mustQueue(t, e, QueueConfig{}), mustQueue(t, e, QueueConfig{})
		submit(t, one, Work{Op: OpSeal, Packets: sealable(k, 3)})
		submit(t, two, Work{Op: OpSeal, Packets: sealable(k, 3)})
		one.Close()
		e.Close()
		one.Close()
		two.Close()
		for _, q := range []*Queue{one, two} {
			wantStatus(t, &pollAll(t, q, 1)[0].Packets[2], ciphers.StatusOK)
			if err := q.Submit(Work{Op: OpSeal, Packets: sealable(k, 3)}); !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
		if _, err := e.NewQueue(QueueConfig{}); !errors.Is(err, ErrClosed) {
			t.Errorf("a queue of a closed engine: %v", err)
		}
	})
}
