package engine

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// slowly makes an engine of one group whose batches wait to be let go.
func slowly(t *testing.T) (*Engine, *gatedExchanger) {
	g := &gatedExchanger{Exchanger: std(t).Exchanges[ciphers.X25519], entered: make(chan int, 100), open: make(chan struct{}, 100)}
	for range 3 {
		g.open <- struct{}{} // the self-test's operations
	}
	e := only(t, &ciphers.Backend{Name: "gated", Exchanges: map[Algorithm]ciphers.Exchanger{ciphers.X25519: g}})
	if !e.Supports(ciphers.X25519) {
		t.Fatal("refused")
	}
	for range 3 {
		<-g.entered
	}
	return e, g
}

type gatedExchanger struct {
	ciphers.Exchanger
	entered chan int // entries of each batch
	open    chan struct{}
}

func (g *gatedExchanger) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	g.entered <- len(b.Index)
	<-g.open
	return g.Exchanger.Exchange(op, b)
}

func newQueue(t *testing.T, e *Engine, c ExchangeQueueConfig) *ExchangeQueue {
	t.Helper()
	q, err := e.NewExchangeQueue(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func keyPair() *Exchange {
	return &Exchange{Group: ciphers.X25519, Operation: ciphers.OpGenerate, Private: make([]byte, 32), Public: make([]byte, 32)}
}

// start runs n exchanges on goroutines of their own and gives their errors.
func start(q *ExchangeQueue, n int) <-chan error {
	errs := make(chan error, n)
	for range n {
		go func() { errs <- q.Do(keyPair()) }()
	}
	return errs
}

// waitFor waits until n exchanges wait in the queue.
func waitFor(q *ExchangeQueue, n int) {
	for waiting(q) != n {
		time.Sleep(50 * time.Microsecond)
	}
}

func waiting(q *ExchangeQueue) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func TestLoneExchangeGoesStraightThrough(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Wait: time.Hour})
	errs := start(q, 1)
	if n := <-g.entered; n != 1 {
		t.Errorf("a batch of %d", n)
	}
	g.open <- struct{}{}
	if err := <-errs; err != nil {
		t.Error(err)
	}
}

func TestThoseWhoWaitRunWhenABatchIsOver(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Wait: time.Hour, Workers: 1})
	first := start(q, 1)
	<-g.entered
	others := start(q, 5)
	waitFor(q, 5)
	g.open <- struct{}{}
	if n := <-g.entered; n != 5 {
		t.Errorf("a batch of %d, want 5", n)
	}
	g.open <- struct{}{}
	for range 5 {
		if err := <-others; err != nil {
			t.Error(err)
		}
	}
	if err := <-first; err != nil {
		t.Error(err)
	}
	if st := q.Stats(); st.Batches != 2 || st.Exchanges != 6 || st.Fill() != 3 || st.Longest == 0 {
		t.Errorf("%+v", st)
	}
}

func TestFullBatchDoesNotWait(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Wait: time.Hour, Workers: 2, Batch: 4})
	all := start(q, 1)
	<-g.entered
	four := start(q, 4)
	if n := <-g.entered; n != 4 {
		t.Errorf("a batch of %d, want 4", n)
	}
	g.open <- struct{}{}
	g.open <- struct{}{}
	for range 4 {
		<-four
	}
	<-all
}

func TestTimeForCompanyIsBounded(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Wait: 5 * time.Millisecond, Workers: 2})
	one := start(q, 1)
	<-g.entered
	began := time.Now()
	two := start(q, 1)
	if n := <-g.entered; n != 1 || time.Since(began) < 5*time.Millisecond {
		t.Errorf("a batch of %d after %v", n, time.Since(began))
	}
	g.open <- struct{}{}
	g.open <- struct{}{}
	<-one
	<-two
}

func TestOverloadSheds(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Wait: time.Hour, Workers: 1, Depth: 2})
	running := start(q, 1)
	<-g.entered
	patient := start(q, 2)
	waitFor(q, 2)
	if err := q.Do(keyPair()); !errors.Is(err, ErrOverload) {
		t.Errorf("beyond the depth: %v", err)
	}
	if n := q.Stats().Shed; n != 1 {
		t.Errorf("%d shed", n)
	}
	g.open <- struct{}{}
	g.open <- struct{}{}
	for range 2 {
		<-patient
	}
	<-running
}

func TestCloseFinishesWhatIsInside(t *testing.T) {
	e, g := slowly(t)
	q := newQueue(t, e, ExchangeQueueConfig{Workers: 1})
	inside := start(q, 1)
	<-g.entered
	go func() { g.open <- struct{}{} }()
	q.Close()
	select {
	case err := <-inside:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the exchange did not come back")
	}
	if err := q.Do(keyPair()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	q.Close()
}

// TestHandshakesThroughTheQueue runs whole handshakes of several groups on many
// goroutines, bad shares among them, and compares the secrets.
func TestHandshakesThroughTheQueue(t *testing.T) {
	e := mustNew(t, Config{IgnoreEnvironment: true})
	q := newQueue(t, e, ExchangeQueueConfig{})
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for range 4 {
				handshake(t, q, []Algorithm{ciphers.X25519, ciphers.X25519MLKEM768, ciphers.P256}[i%3], i%5 == 0)
			}
		})
	}
	wg.Wait()
	if st := q.Stats(); st.Exchanges != 32*4*3 || st.Fill() < 1 {
		t.Errorf("%+v", st)
	}
}

func handshake(t *testing.T, q *ExchangeQueue, g Algorithm, spoil bool) {
	client := &Exchange{Group: g, Operation: ciphers.OpGenerate, Private: make([]byte, g.PrivateSize()), Public: make([]byte, g.PublicSize())}
	if err := q.Do(client); err != nil {
		t.Error(err)
	}
	server := &Exchange{Group: g, Operation: ciphers.OpEncapsulate, Public: bytes.Clone(client.Public),
		Ciphertext: make([]byte, g.CiphertextSize()), Secret: make([]byte, g.SecretSize())}
	if spoil {
		setBadShare(g, server.Public)
	}
	if err := q.Do(server); spoil != errors.Is(err, ciphers.ErrShare) {
		t.Errorf("%v: server: %v", g, err)
	}
	client.Operation, client.Ciphertext, client.Secret = ciphers.OpDecapsulate, server.Ciphertext, make([]byte, g.SecretSize())
	if err := q.Do(client); !spoil && (err != nil || !bytes.Equal(client.Secret, server.Secret)) {
		t.Errorf("%v: client: %v, or another secret", g, err)
	}
}

func TestQueueConfigNamesItsField(t *testing.T) {
	e := portable(t)
	for _, c := range []struct {
		says   string
		config ExchangeQueueConfig
	}{
		{"Batch: 257 is not 1 to 256", ExchangeQueueConfig{Batch: ciphers.MaxBurst + 1}}, {"Wait: -1ns is negative", ExchangeQueueConfig{Wait: -1}},
		{"Workers: -1 is not 1 to 1024", ExchangeQueueConfig{Workers: -1}}, {"Workers: 1025 is not", ExchangeQueueConfig{Workers: 1025}},
		{"Depth: -1 is negative", ExchangeQueueConfig{Depth: -1}},
	} {
		var f *ciphers.FieldError
		if _, err := e.NewExchangeQueue(c.config); !errors.As(err, &f) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

func TestQueueTakesNoNil(t *testing.T) {
	q := newQueue(t, portable(t), ExchangeQueueConfig{})
	var f *ciphers.FieldError
	if err := q.Do(nil); !errors.As(err, &f) || f.Field != "x" {
		t.Errorf("nil: %v", err)
	}
	if err := q.Do(keyPair()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestClosedEngineMakesNoQueueAndNoPairs is what NewQueue does too.
func TestClosedEngineMakesNoQueueAndNoPairs(t *testing.T) {
	e := portable(t)
	e.Close()
	if q, err := e.NewExchangeQueue(ExchangeQueueConfig{}); q != nil || !errors.Is(err, ErrClosed) {
		t.Errorf("NewExchangeQueue: %v", err)
	}
	if p, err := e.NewKeyPairs(KeyPairsConfig{Group: ciphers.X25519}); p != nil || !errors.Is(err, ErrClosed) {
		t.Errorf("NewKeyPairs: %v", err)
	}
}
