package engine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestStatsAreExact seals and opens on many goroutines, some packets forged,
// while others read Stats.
func TestStatsAreExact(t *testing.T) {
	e := portable(t)
	const workers, rounds = 8, 50
	seal, open := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing)), mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Opening))
	mask := mustKey(t, e, specOf(ciphers.MaskChaCha20, 0))
	stop := watchStats(t, e)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range rounds {
				statsRound(e, seal, open, mask)
			}
		})
	}
	wg.Wait()
	stop()
	const bursts = workers * rounds
	want := Stats{
		Seal:   Counts{bursts, 5 * bursts, 5 * bursts},
		Open:   Counts{bursts, 5 * bursts, 3 * bursts},
		Mask:   Counts{bursts, 5 * bursts, 4 * bursts},
		Causes: map[string]uint64{"auth": bursts, "key": bursts, "sample": bursts},
		Calls: []Calls{
			{"aes-128-gcm", "seal", bursts, 5 * bursts, 5 * bursts},
			{"aes-128-gcm", "open", bursts, 4 * bursts, 3 * bursts},
			{"mask-chacha20", "mask", bursts, 4 * bursts, 4 * bursts},
		},
	}
	if got := e.Stats(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := want.Open.MeanBurst(); got != 5 {
		t.Errorf("mean burst %v, want 5", got)
	}
	if got := want.Calls[1].MeanEntry(); got != 4 {
		t.Errorf("mean entry %v, want 4", got)
	}
}

// statsRound seals 5, opens 3 of them, one forged and one without a key beside
// them, and masks 4, one without a sample beside them.
func statsRound(e *Engine, seal, open, mask *Key) {
	ps := sealable(seal, 5)
	e.Seal(ps)
	openable(ps, open)
	ps[1].Buf[30] ^= 1
	ps[2].Key = nil
	e.Open(ps)
	for i := range ps {
		ps[i].MaskKey = mask
	}
	ps[4].SampleOff = 90
	e.Mask(make([]byte, 80), ps)
}

// watchStats reads Stats until it is stopped, and wants them to grow alone.
func watchStats(t *testing.T, e *Engine) (stop func()) {
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for last := uint64(0); !over.Load(); {
			now := e.Stats().Seal.Packets
			if now < last {
				t.Errorf("sealed %d packets after %d", now, last)
			}
			last = now
			_ = e.Report().String()
		}
	})
	return func() {
		over.Store(true)
		wg.Wait()
	}
}

// TestBurstsDoNotWaitForShards holds every shard but one, as readers of Stats
// and preempted bursts do.
func TestBurstsDoNotWaitForShards(t *testing.T) {
	e := portable(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	for left := range e.shards {
		for i := range e.shards {
			if i != left {
				e.shards[i].state.Add(1)
			}
		}
		if ok := e.Seal(sealable(k, 2)); ok != 2 {
			t.Errorf("sealed %d of 2 with shard %d free", ok, left)
		}
		for i := range e.shards {
			if i != left {
				e.shards[i].leave()
			}
		}
	}
	if got := e.Stats().Seal.Bursts; got != uint64(len(e.shards)) {
		t.Errorf("%d bursts counted, want %d", got, len(e.shards))
	}
}
