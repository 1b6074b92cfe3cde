package engine

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// Exchange is one entry of a batch of key exchanges; see package ciphers.
type Exchange = ciphers.Exchange

// Exchange does a batch of 1 to 256 key exchanges, of any groups and operations,
// and returns how many succeeded. Each entry's Status says what became of it;
// one whose peer sent a bad share fails alone. Entries of one group and one
// operation run together, wherever they stand: it pays to gather them. A batch
// that is too long is refused whole.
func (e *Engine) Exchange(batch []Exchange) int {
	switch {
	case len(batch)-1 >= ciphers.MaxBurst || len(batch) == 0:
		return refuseExchanges(batch, ciphers.StatusBurst)
	case e.closed.Load():
		return refuseExchanges(batch, ciphers.StatusEngine)
	}
	var ok int
	if ciphers.ExchangeBorder(batch) {
		ok = e.exchange.run(batch, ciphers.Identity(len(batch)))
	} else {
		ok = e.exchange.grouped(batch)
	}
	e.exchange.countBatch(batch, ok)
	return ok
}

func refuseExchanges(batch []Exchange, why Status) int {
	for i := range batch {
		batch[i].Status = why
	}
	return 0
}

// exchanger is the engine's part for key exchange. A group's implementation is
// chosen and tested when the group is first used, since the tests of all groups
// take some 50 ms, which a program that exchanges no keys should not wait for.
type exchanger struct {
	chosen [ciphers.NumAlgorithms]sync.Once
	choose func(group Algorithm)
	plans  [ciphers.NumAlgorithms]exchangePlan
	exchangeCounters
}

// plan is the plan of a group, chosen now if it was not yet.
func (x *exchanger) plan(group Algorithm) *exchangePlan {
	x.chosen[group].Do(func() { x.choose(group) })
	return &x.plans[group]
}

// exchangePlan is which implementations serve a group: lone those batches that
// have at most loneMax of its entries.
type exchangePlan struct {
	bulk, lone ciphers.Exchanger
	loneMax    int
}

// run does the entries of index, which share group and operation.
func (x *exchanger) run(batch []Exchange, index []uint8) int {
	first := &batch[index[0]]
	plan := x.plan(first.Group)
	impl := plan.bulk
	if len(index) <= plan.loneMax {
		impl = plan.lone
	}
	if impl == nil {
		for _, i := range index {
			batch[i].Status = ciphers.StatusGroup
		}
		return 0
	}
	ok := impl.Exchange(first.Operation, ciphers.ExchangeBatch{Entries: batch, Index: index})
	x.countCall(first.Group, first.Operation, len(index), ok)
	return ok
}

// grouped runs each group and operation once over all of its entries.
func (x *exchanger) grouped(batch []Exchange) (ok int) {
	s := sorts.Get().(*sorting)
	defer sorts.Put(s)
	rest := s.rest[:0]
	for i := range batch {
		if batch[i].Status == ciphers.StatusNone {
			rest = append(rest, uint8(i))
		}
	}
	for len(rest) > 0 {
		first := &batch[rest[0]]
		index, others := s.index[:0], rest[:0]
		for _, i := range rest {
			if batch[i].Group == first.Group && batch[i].Operation == first.Operation {
				index = append(index, i)
			} else {
				others = append(others, i)
			}
		}
		ok += x.run(batch, index)
		rest = others
	}
	return ok
}

// sorting is the space to sort a mixed batch.
type sorting struct{ index, rest [ciphers.MaxBurst]uint8 }

var sorts = sync.Pool{New: func() any { return new(sorting) }}
