package engine

import (
	"sync"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// TestCloseWaitsForQueuedBursts closes a key, a queue or an engine while a device
// holds bursts of it: they end well, later ones are refused, and Close returns only
// then.
func TestCloseWaitsForQueuedBursts(t *testing.T) {
	for name, closing := range map[string]func(e *Engine, k *Key, q *Queue){
		"key":    func(_ *Engine, k *Key, _ *Queue) { k.Close() },
		"engine": func(e *Engine, _ *Key, _ *Queue) { e.Close() },
		"queue":  func(_ *Engine, k *Key, q *Queue) { q.Close(); k.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			d := &fakeDevice{lanes: 1, inFlight: 2, held: true}
			e := offloaded(t, d)
			k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
			q := mustQueue(t, e, QueueConfig{})
			for range 5 { // more than the device holds
				submit(t, q, Work{Op: OpSeal, Packets: sealable(k, 3)})
			}
			closed := make(chan struct{})
			go func() { closing(e, k, q); close(closed) }()
			for !refuses(e, k, q) {
				time.Sleep(50 * time.Microsecond)
			}
			select {
			case <-closed:
				t.Fatal("closed while the device held bursts")
			case <-time.After(20 * time.Millisecond):
			}
			late := sealable(k, 1)
			refused := q.Submit(Work{Op: OpSeal, Packets: late}) != nil // the queue or the engine is closed, or the key
			d.hold(false)
			<-closed
			checkZero(t, k)
			for _, w := range pollAll(t, q, 5)[:5] {
				wantStatus(t, &w.Packets[2], ciphers.StatusOK)
			}
			q.Close()
			if !refused {
				wantStatus(t, &late[0], ciphers.StatusKeyClosed)
			}
		})
	}
}

// refuses reports that the engine, the key or the queue has begun to close.
func refuses(e *Engine, k *Key, q *Queue) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed || e.Seal(sealable(k, 1)) == 0
}

// TestCloseAmongQueuedBursts closes a key, an engine or a queue while goroutines
// submit, and polls what is left. No burst runs under a key that is zero.
func TestCloseAmongQueuedBursts(t *testing.T) {
	for name, closing := range map[string]func(e *Engine, k *Key, q *Queue){
		"key":    func(_ *Engine, k *Key, _ *Queue) { k.Close() },
		"engine": func(e *Engine, _ *Key, _ *Queue) { e.Close() },
		"queue":  func(_ *Engine, _ *Key, q *Queue) { q.Close() },
	} {
		t.Run(name, func(t *testing.T) { closeAmongQueued(t, closing) })
	}
}

func closeAmongQueued(t *testing.T, closing func(e *Engine, k *Key, q *Queue)) {
	e, watch := watchedEngine(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	q := mustQueue(t, e, QueueConfig{Workers: 3})
	start := watch.bursts.Load()
	var wg sync.WaitGroup
	var over sync.WaitGroup
	stop := make(chan struct{})
	over.Go(func() { pollUntil(t, q, stop) })
	for range 4 {
		wg.Go(func() {
			for {
				if err := q.Submit(Work{Op: OpSeal, Packets: sealable(k, 3)}); err == ErrClosed || watch.bursts.Load() > start+2000 {
					return
				}
			}
		})
	}
	for watch.bursts.Load() < start+200 {
		time.Sleep(time.Microsecond)
	}
	closing(e, k, q)
	watch.bursts.Add(3000) // ends those who submit to a queue that is open
	wg.Wait()
	close(stop)
	over.Wait()
	if watch.sawZeros.Load() {
		t.Error("a burst ran under a key that was zeroed")
	}
}

// pollUntil polls until it is told to stop and nothing is left.
func pollUntil(t *testing.T, q *Queue, stop <-chan struct{}) {
	var done [8]Work
	for {
		n := q.Poll(done[:])
		for _, w := range done[:n] {
			if s := w.Packets[2].Status; s != ciphers.StatusOK && s != ciphers.StatusKeyClosed {
				t.Errorf("status %v", s)
			}
		}
		select {
		case <-stop:
			if q.Stats().Depth == 0 {
				return
			}
		default:
		}
	}
}
