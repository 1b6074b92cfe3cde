package engine

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// TestQueueUnderLoad drives a queue with many more callers than it holds: every
// exchange is either right or shed with the typed error, batches fill, and what the
// counters say is what happened. Batches end only when one caller was shed, so that
// there is load however slowly the callers come.
func TestQueueUnderLoad(t *testing.T) {
	held := &heldExchanger{Exchanger: std(t).Exchanges[ciphers.X25519]}
	e := only(t, &ciphers.Backend{Name: "held", Exchanges: map[Algorithm]ciphers.Exchanger{ciphers.X25519: held}})
	q := newQueue(t, e, ExchangeQueueConfig{Batch: 16, Depth: 64, Workers: 2})
	peer := shares(t, e, ciphers.X25519)[0]
	held.gate.Lock()
	const callers, each = 200, 5
	var done, shed atomic.Uint64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				if encapsulated(t, q, peer) {
					done.Add(1)
				} else {
					shed.Add(1)
				}
			}
		})
	}
	for end := time.Now().Add(time.Minute); q.Stats().Shed == 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Microsecond)
	}
	held.gate.Unlock()
	wg.Wait()
	st := q.Stats()
	if done.Load()+shed.Load() != callers*each || st.Exchanges != done.Load() || st.Shed != shed.Load() {
		t.Errorf("%d done, %d shed, counted %+v", done.Load(), shed.Load(), st)
	}
	if shed.Load() == 0 || st.Fill() <= 1 { // those who waited behind the gate share batches
		t.Errorf("no load: %d shed, %.1f a batch", shed.Load(), st.Fill())
	}
	if st.MeanWait() <= 0 || st.Longest < st.MeanWait() || st.Rate(ExchangeQueueStats{}, time.Second) != float64(st.Exchanges) {
		t.Errorf("mean wait %v, longest %v, rate %f", st.MeanWait(), st.Longest, st.Rate(ExchangeQueueStats{}, time.Second))
	}
}

// heldExchanger does not begin a batch while its gate is locked.
type heldExchanger struct {
	ciphers.Exchanger
	gate sync.RWMutex
}

func (h *heldExchanger) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	h.gate.RLock()
	defer h.gate.RUnlock()
	return h.Exchanger.Exchange(op, b)
}

// encapsulated makes a secret with peer and compares both sides, or reports false
// when the queue shed it.
func encapsulated(t *testing.T, q *ExchangeQueue, peer Exchange) bool {
	x := Exchange{
		Group: ciphers.X25519, Operation: ciphers.OpEncapsulate, Public: peer.Public,
		Ciphertext: make([]byte, ciphers.X25519PublicSize), Secret: make([]byte, ciphers.X25519SecretSize),
	}
	err := q.Do(&x)
	if errors.Is(err, ErrOverload) {
		return false
	}
	if err != nil {
		t.Error(err)
	}
	agree(t, q.engine, peer, &x)
	return true
}

// agree takes the secret out on the other side.
func agree(t *testing.T, e *Engine, own Exchange, answer *Exchange) {
	back := []Exchange{{
		Group: own.Group, Operation: ciphers.OpDecapsulate, Private: own.Private,
		Ciphertext: answer.Ciphertext, Secret: make([]byte, len(answer.Secret)),
	}}
	if e.Exchange(back) != 1 || !bytes.Equal(back[0].Secret, answer.Secret) {
		t.Errorf("another secret: %v", back[0].Status)
	}
}
