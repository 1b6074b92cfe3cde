package engine

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// watched is an AEAD with a schedule that it reads in every call, slowly, and
// that must never be zero then.
type watched struct {
	ciphers.AEAD
	bursts   atomic.Int64
	sawZeros atomic.Bool
}

func (w *watched) ScheduleSize() int { return 4096 }

func (w *watched) Expand(st *ciphers.State, spec *KeySpec) error {
	for i := range st.Schedule() {
		st.Schedule()[i] = 0xA5
	}
	return w.AEAD.Expand(st, spec)
}

func (w *watched) Seal(b ciphers.Burst) int {
	w.bursts.Add(1)
	n := w.AEAD.Seal(b)
	for _, i := range b.Index {
		for _, v := range b.Packets[i].Key.State(b.Slot).Schedule() {
			if v != 0xA5 {
				w.sawZeros.Store(true)
			}
		}
	}
	return n
}

func watchedEngine(t *testing.T) (*Engine, *watched) {
	b := fake(t, "watched", 1, ciphers.AES128GCM)
	w := &watched{AEAD: b.AEADs[ciphers.AES128GCM].(*spy).AEAD}
	b.AEADs[ciphers.AES128GCM] = w
	return only(t, b), w
}

// TestCloseWaitsForBursts closes a key, or the engine, while goroutines seal
// under it. The race detector sees a read after Close has zeroed.
func TestCloseWaitsForBursts(t *testing.T) {
	for name, closing := range map[string]func(e *Engine, k *Key){
		"key":    func(_ *Engine, k *Key) { k.Close() },
		"engine": func(e *Engine, _ *Key) { e.Close() },
		"both at once": func(e *Engine, k *Key) {
			var wg sync.WaitGroup
			wg.Go(k.Close)
			e.Close()
			checkZero(t, k) // whichever of the two closed the key
			wg.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) { closeAmongBursts(t, closing) })
	}
}

func closeAmongBursts(t *testing.T, closing func(e *Engine, k *Key)) {
	e, w := watchedEngine(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	start := w.bursts.Load()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			ps := sealable(k, 3)
			for e.Seal(ps) == 3 {
			}
			// The key may have closed between two packets of the burst.
			if s := ps[2].Status; s != ciphers.StatusKeyClosed && s != ciphers.StatusEngine {
				t.Errorf("ended with status %v", s)
			}
		})
	}
	for w.bursts.Load() < start+200 {
	}
	closing(e, k)
	checkZero(t, k)
	wg.Wait()
	if w.sawZeros.Load() {
		t.Error("a burst ran under a key that was zeroed")
	}
}

// TestAEADOpensUntilItIsClosed opens on several goroutines, short messages and long
// ones, while the engine or the AEAD closes: none panics, and each ends by an error
// that says so.
func TestAEADOpensUntilItIsClosed(t *testing.T) {
	for name, closing := range map[string]func(e *Engine, a *AEAD){
		"engine": func(e *Engine, _ *AEAD) { e.Close() },
		"AEAD":   func(_ *Engine, a *AEAD) { a.Close() },
	} {
		e := portable(t)
		a, err := e.AEAD(ciphers.AES128GCM, make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		nonce := make([]byte, nonceSize)
		sealed := [][]byte{a.Seal(nil, nonce, make([]byte, 100), nil), a.Seal(nil, nonce, make([]byte, 70000), nil)}
		var opened atomic.Int64
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				var err error
				for err == nil {
					_, err = a.Open(nil, nonce, sealed[i%2], nil)
					opened.Add(1)
				}
				if !errors.Is(err, ciphers.ErrKeyClosed) || name == "engine" && !errors.Is(err, ErrClosed) {
					t.Errorf("%s closed: %v", name, err)
				}
			})
		}
		for opened.Load() < 50 {
			runtime.Gosched()
		}
		closing(e, a)
		wg.Wait()
	}
}

func checkZero(t *testing.T, k *Key) {
	t.Helper()
	if !zero(k.State(ciphers.SlotBulk).Schedule()) || k.State(ciphers.SlotBulk).Object != nil {
		t.Error("the key is not zero after Close")
	}
}

func TestClosedKeysAreForgotten(t *testing.T) {
	e := portable(t)
	one, two := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), mustKey(t, e, specOf(ciphers.MaskAES128, 0))
	one.Close()
	one.Close()
	if len(e.keys) != 1 {
		t.Errorf("the engine remembers %d keys, want 1", len(e.keys))
	}
	two.Close()
	if len(e.keys) != 0 {
		t.Errorf("the engine remembers %d keys, want none", len(e.keys))
	}
}

func TestNewKeyAmongClosing(t *testing.T) {
	e := portable(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				k, err := e.NewKey(specOf(ciphers.ChaCha20Poly1305, ciphers.Sealing))
				if err != nil {
					return
				}
				e.Seal(sealable(k, 1))
			}
		})
	}
	e.Close()
	wg.Wait()
	if len(e.keys) != 0 {
		t.Errorf("%d keys are left open", len(e.keys))
	}
}

// slow is an AEAD whose keys take their time to be released.
type slow struct {
	ciphers.AEAD
	hold *hold
}

type hold struct {
	begun, end chan struct{}
	released   atomic.Bool
}

func (h *hold) Release() {
	close(h.begun)
	<-h.end
	h.released.Store(true)
}

func (s *slow) Expand(st *ciphers.State, spec *KeySpec) error {
	if s.hold != nil {
		st.Object = s.hold
		return nil
	}
	return s.AEAD.Expand(st, spec)
}

// TestEngineCloseWaitsForKeysThatOthersClose holds a key in the middle of Close.
func TestEngineCloseWaitsForKeysThatOthersClose(t *testing.T) {
	b := fake(t, "slow", 1, ciphers.AES128GCM)
	impl := &slow{AEAD: b.AEADs[ciphers.AES128GCM]}
	b.AEADs[ciphers.AES128GCM] = impl
	e := only(t, b)
	impl.hold = &hold{begun: make(chan struct{}), end: make(chan struct{})}
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	go k.Close()
	<-impl.hold.begun
	time.AfterFunc(20*time.Millisecond, func() { close(impl.hold.end) })
	e.Close()
	if !impl.hold.released.Load() {
		t.Error("Close returned before the key was released")
	}
}
