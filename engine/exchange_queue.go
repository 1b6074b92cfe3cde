package engine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// ErrOverload says that a queue had as many waiting exchanges as it may hold.
var ErrOverload = errors.New("engine: exchange queue is full")

// ExchangeQueueConfig says how a queue gathers. The zero value gathers up to 64
// exchanges for up to 200 µs and runs as many batches at once as there are
// processors.
type ExchangeQueueConfig struct {
	Batch   int           // exchanges a batch, 1 to 256; 0 means 64
	Wait    time.Duration // the longest that one waits for company; 0 means 200 µs
	Workers int           // batches that run at once, 1 to 1024; 0 means GOMAXPROCS
	Depth   int           // exchanges that wait before others are shed; 0 means 16 batches a worker
}

func (c ExchangeQueueConfig) complete() (ExchangeQueueConfig, error) {
	switch {
	case c.Batch < 0 || c.Batch > ciphers.MaxBurst:
		return c, &ciphers.FieldError{Field: "Batch", Reason: fmt.Sprintf("%d is not 1 to %d", c.Batch, ciphers.MaxBurst)}
	case c.Wait < 0:
		return c, &ciphers.FieldError{Field: "Wait", Reason: fmt.Sprintf("%v is negative", c.Wait)}
	case c.Workers < 0 || c.Workers > maxWorkers:
		return c, &ciphers.FieldError{Field: "Workers", Reason: fmt.Sprintf("%d is not 1 to %d", c.Workers, maxWorkers)}
	case c.Depth < 0:
		return c, &ciphers.FieldError{Field: "Depth", Reason: fmt.Sprintf("%d is negative", c.Depth)}
	}
	c.Batch = cmp.Or(c.Batch, 64)
	c.Wait = cmp.Or(c.Wait, 200*time.Microsecond)
	c.Workers = cmp.Or(c.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	c.Depth = cmp.Or(c.Depth, 16*c.Batch*c.Workers)
	return c, nil
}

// ExchangeQueue gathers the key exchanges of many goroutines into batches. It has
// no goroutine of its own: one of the callers runs the batch for all. A caller
// that finds nothing running goes straight through; others wait until a batch
// is full, a running one is over or their time for company is up.
type ExchangeQueue struct {
	engine *Engine
	config ExchangeQueueConfig

	mu      sync.Mutex
	idle    sync.Cond // nothing runs or waits
	closed  bool
	running int
	waiting []*request // the oldest first
	timer   *time.Timer
	stats   ExchangeQueueStats
}

// request is one caller's exchange while it waits.
type request struct {
	exchange *Exchange
	since    time.Time
	wake     chan []*request // nil when the exchange is done, else the batch to run
}

// NewExchangeQueue makes a queue, or fails with a *ciphers.FieldError or ErrClosed. The
// caller closes it before the engine.
func (e *Engine) NewExchangeQueue(c ExchangeQueueConfig) (*ExchangeQueue, error) {
	c, err := c.complete()
	switch {
	case err != nil:
		return nil, err
	case e.closed.Load():
		return nil, ErrClosed
	}
	q := &ExchangeQueue{engine: e, config: c}
	q.stats.Since = time.Now()
	q.idle.L = &q.mu
	q.timer = time.AfterFunc(time.Hour, q.expire)
	q.timer.Stop()
	return q, nil
}

// Do does one exchange together with those of other callers. It fails with
// ErrOverload or ErrClosed, with x as it was, with the error of x.Status, or for a nil x
// with a *ciphers.FieldError.
func (q *ExchangeQueue) Do(x *Exchange) error {
	if x == nil {
		return errNoExchange
	}
	r := &request{exchange: x, since: time.Now(), wake: make(chan []*request, 1)}
	batch, err := q.enter(r)
	if err != nil {
		return err
	}
	if batch == nil {
		batch = <-r.wake
	}
	if batch != nil {
		q.run(batch, r)
	}
	return x.Status.Err()
}

var errNoExchange = &ciphers.FieldError{Field: "x", Reason: "nil"}

// enter lets r wait, or gives it a batch to run.
func (q *ExchangeQueue) enter(r *request) ([]*request, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return nil, ErrClosed
	case len(q.waiting) >= q.config.Depth:
		q.stats.Shed++
		return nil, ErrOverload
	}
	q.waiting = append(q.waiting, r)
	if q.running == 0 || len(q.waiting) >= q.config.Batch && q.running < q.config.Workers {
		return q.takeFor(r), nil
	}
	if len(q.waiting) == 1 {
		q.timer.Reset(q.config.Wait)
	}
	return nil, nil
}

// takeFor takes the oldest of the waiting for r to run, and wakes one of them to
// do it if r is not among them.
func (q *ExchangeQueue) takeFor(r *request) []*request {
	n := min(len(q.waiting), q.config.Batch)
	batch := append([]*request(nil), q.waiting[:n]...)
	q.waiting = append(q.waiting[:0], q.waiting[n:]...)
	q.running++
	q.count(batch)
	if len(q.waiting) == 0 {
		q.timer.Stop()
	}
	for _, one := range batch {
		if one == r {
			return batch
		}
	}
	batch[0].wake <- batch
	return nil
}

// run does a batch and tells its callers, but for own, which is this one.
func (q *ExchangeQueue) run(batch []*request, own *request) {
	s := exchangeSpaces.Get().(*exchangeSpace)
	entries := s[:len(batch)]
	for i, r := range batch {
		entries[i] = *r.exchange
	}
	q.engine.Exchange(entries)
	for i, r := range batch {
		r.exchange.Status, r.exchange.Prepared = entries[i].Status, entries[i].Prepared
	}
	clear(entries)
	exchangeSpaces.Put(s)
	q.leave()
	for _, r := range batch {
		if r != own {
			r.wake <- nil
		}
	}
}

// leave ends a batch and lets those who wait have its place.
func (q *ExchangeQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if len(q.waiting) > 0 {
		q.takeFor(nil)
	} else if q.running == 0 {
		q.idle.Broadcast()
	}
}

// expire runs when the oldest of the waiting may have had its time.
func (q *ExchangeQueue) expire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || q.running >= q.config.Workers {
		return // nobody waits for company: who is left waits for a place
	}
	if left := q.config.Wait - time.Since(q.waiting[0].since); left > 0 {
		q.timer.Reset(left)
		return
	}
	q.takeFor(nil)
}

// Close refuses new exchanges and waits until those inside are done. Closing
// twice is allowed.
func (q *ExchangeQueue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for q.running > 0 {
		q.idle.Wait()
	}
	q.timer.Stop()
}

// exchangeSpace is a batch while it runs.
type exchangeSpace [ciphers.MaxBurst]Exchange

var exchangeSpaces = sync.Pool{New: func() any { return new(exchangeSpace) }}
