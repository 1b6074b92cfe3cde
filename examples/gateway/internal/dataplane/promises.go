package dataplane

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
)

// Keys made by hand outlive the process, so that numbers are written to disk as used
// before the first of them is. Nobody who moves packets waits for the disk: when half of
// what was promised is gone, a goroutine beside the workers promises more.
const (
	chunk = 1 << 24                // numbers promised at a time; so many are lost when the gateway ends without a word
	slack = 64 * ethernet.MaxBurst // what workers may take of an SA before they see what others took
)

// promise is how far an SA may number.
type promise struct {
	first    uint64
	promised atomic.Uint64 // how many numbers from first on are written down as used
	asked    atomic.Bool
}

// behind is the number behind the first n, or the end of all numbers.
func (p *promise) behind(n uint64) uint64 { return p.first + min(n, math.MaxUint64-p.first) }

// promises keeps them, and what was received.
type promises struct {
	store   *seqstore.Store
	sources []*received
	more    chan *espRoute
	ended   sync.WaitGroup
	fault   atomic.Pointer[error]
}

func newPromises(s *seqstore.Store) *promises { return &promises{store: s} }

// start promises the first chunk of every SA, and from then on more as they are used.
func (p *promises) start(all []*espRoute) error {
	next := map[uint32]uint64{}
	for _, r := range all {
		next[r.sa.SPI()] = r.behind(chunk)
	}
	if err := p.store.Settle(next); err != nil {
		return err
	}
	for _, r := range all {
		r.promised.Store(chunk)
	}
	p.more = make(chan *espRoute, len(all)) // each is in it once at most
	p.ended.Go(p.run)
	return nil
}

func (p *promises) run() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case r, open := <-p.more:
			if !open {
				return
			}
			p.promise(r)
		case <-ticker.C:
			p.look()
		}
	}
}

func (p *promises) promise(r *espRoute) {
	promised := r.promised.Load() + chunk
	if err := p.store.Reserve(r.sa.SPI(), r.behind(promised)); err != nil {
		p.fault.Store(&err) // the SA drops packets once its numbers are gone
		return
	}
	r.promised.Store(promised)
	r.asked.Store(false)
}

// look writes down what has been accepted, and what will have been at the next look.
func (p *promises) look() {
	for _, r := range p.sources {
		if err := r.look(); err != nil {
			p.fault.Store(&err)
		}
	}
	if err := p.store.Sync(); err != nil {
		p.fault.Store(&err)
	}
}

// covers reports whether the SA may number a packet more, and asks for more numbers in
// time.
func (p *promises) covers(r *espRoute) bool {
	used, promised := r.sa.Used(), r.promised.Load()
	if used+chunk/2 >= promised && !r.asked.Load() && !r.asked.Swap(true) {
		select {
		case p.more <- r:
		default: // closing
		}
	}
	return used+slack < promised
}

// close writes down what was used and accepted, so that nothing is lost. The workers are
// over.
func (p *promises) close(all []*espRoute) error {
	if p.more == nil {
		return nil
	}
	close(p.more)
	p.ended.Wait()
	next := map[uint32]uint64{}
	for _, r := range all {
		next[r.sa.SPI()] = r.behind(r.sa.Used())
	}
	err := p.store.Settle(next)
	for _, r := range p.sources {
		err = errors.Join(err, r.settle())
	}
	if fault := p.fault.Load(); fault != nil {
		err = errors.Join(*fault, err)
	}
	if err != nil {
		return err // what the store has in memory says it better than the files
	}
	return p.store.Forget()
}
