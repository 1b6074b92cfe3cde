package engine

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// KeyPairsConfig says which key pairs a pool holds.
type KeyPairsConfig struct {
	Group Algorithm
	Size  int // pairs held, 1 to 256; 0 means 64
}

// KeyPairs is a pool of ephemeral key pairs of one group, made ahead in full
// batches, since a batch costs much less a pair than pairs one by one. Each pair
// is handed out once. When half of them are gone, a goroutine makes new ones.
type KeyPairs struct {
	engine *Engine
	config KeyPairsConfig

	mu     sync.Mutex
	ready  []Exchange // generated, their slices the pool's own
	spent  []Exchange // zero
	making bool
	closed bool
	made   sync.WaitGroup
}

// NewKeyPairs makes a pool, which fills itself meanwhile. It fails with a
// *ciphers.FieldError, ErrClosed or ErrNoBackend. The caller closes it before the engine.
func (e *Engine) NewKeyPairs(c KeyPairsConfig) (*KeyPairs, error) {
	switch {
	case !c.Group.IsExchange():
		return nil, &ciphers.FieldError{Field: "Group", Reason: "no key-exchange group"}
	case c.Size < 0 || c.Size > ciphers.MaxBurst:
		return nil, &ciphers.FieldError{Field: "Size", Reason: fmt.Sprintf("%d is not 1 to %d", c.Size, ciphers.MaxBurst)}
	case e.closed.Load():
		return nil, ErrClosed
	case !e.Supports(c.Group):
		return nil, &NoBackendError{c.Group}
	}
	c.Size = cmp.Or(c.Size, 64)
	p := &KeyPairs{engine: e, config: c, spent: make([]Exchange, c.Size)}
	for i := range p.spent {
		p.spent[i] = Exchange{
			Group: c.Group, Operation: ciphers.OpGenerate,
			Private: make([]byte, c.Group.PrivateSize()), Public: make([]byte, c.Group.PublicSize()),
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refill()
	return p, nil
}

// Take does x, an OpGenerate of the pool's group without a seed, with a pair from
// the pool, or when none is left by itself. It fails with ErrClosed, the error of
// x.Status, or for a nil x a *ciphers.FieldError.
func (p *KeyPairs) Take(x *Exchange) error {
	if x == nil {
		return errNoExchange
	}
	if x.Group != p.config.Group || x.Operation != ciphers.OpGenerate || x.Seed != nil {
		x.Status = ciphers.StatusOperation
		return x.Status.Err()
	}
	batch := [1]Exchange{*x}
	if ciphers.ExchangeBorder(batch[:]); batch[0].Status != ciphers.StatusNone {
		x.Status = batch[0].Status
		return x.Status.Err()
	}
	if taken, err := p.take(x); taken || err != nil {
		return err
	}
	p.engine.Exchange(batch[:])
	x.Status, x.Prepared = batch[0].Status, batch[0].Prepared
	return x.Status.Err()
}

// take moves a pair into x, if there is one.
func (p *KeyPairs) take(x *Exchange) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.ready) - 1
	switch {
	case p.closed:
		return false, ErrClosed
	case n < 0:
		p.refill()
		return false, nil
	}
	pair := p.ready[n]
	p.ready[n] = Exchange{}
	p.ready = p.ready[:n]
	copy(x.Private, pair.Private)
	copy(x.Public, pair.Public)
	x.Prepared, x.Status = pair.Prepared, ciphers.StatusOK
	pair.Prepared = nil
	p.spend(pair)
	if len(p.spent) > p.config.Size/2 {
		p.refill()
	}
	return true, nil
}

// spend zeroes a pair and keeps its slices.
func (p *KeyPairs) spend(pair Exchange) {
	clear(pair.Private)
	clear(pair.Public)
	if pair.Prepared != nil {
		pair.Prepared.Clear()
		pair.Prepared = nil
	}
	p.spent = append(p.spent, pair)
}

// refill starts to generate what is spent. The pool is locked.
func (p *KeyPairs) refill() {
	if p.making || p.closed || len(p.spent) == 0 {
		return
	}
	batch := p.spent
	p.making, p.spent = true, nil
	p.made.Go(func() {
		p.engine.Exchange(batch)
		p.store(batch)
	})
}

// store takes in a batch: the good ones as ready, unless the pool is closed.
func (p *KeyPairs) store(batch []Exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.making = false
	for _, pair := range batch {
		if pair.Status == ciphers.StatusOK && !p.closed {
			p.ready = append(p.ready, pair)
		} else {
			p.spend(pair)
		}
	}
}

// Close zeroes the pairs that are left. Closing twice is allowed.
func (p *KeyPairs) Close() {
	p.mu.Lock()
	p.closed = true
	for _, pair := range p.ready {
		p.spend(pair)
	}
	clear(p.ready)
	p.ready = nil
	p.mu.Unlock()
	p.made.Wait()
}
