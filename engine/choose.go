package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
)

// choice is how an algorithm's plan came about, for the report.
type choice struct {
	bulk     string
	priority int // of bulk for the algorithm
	lone     string
	pinned   string // the pin's source, or empty
	refused  []refusal
}

// refusal is a backend that has the algorithm and was not taken.
type refusal struct {
	backend string
	reason  error
}

var errLacks = errors.New("the backend does not have the algorithm")

// byPriority orders backends, the best first; equals keep their order.
func byPriority(all []*ciphers.Backend) []*ciphers.Backend {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *ciphers.Backend) int { return cmp.Compare(b.Priority, a.Priority) })
	return sorted
}

// ranked orders backends for one algorithm.
func ranked(all []*ciphers.Backend, alg Algorithm) []*ciphers.Backend {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *ciphers.Backend) int { return cmp.Compare(b.PriorityOf(alg), a.PriorityOf(alg)) })
	return sorted
}

func (e *Engine) backend(name string) *ciphers.Backend {
	for _, b := range e.backends {
		if b.Name == name {
			return b
		}
	}
	return nil
}

func (e *Engine) names() (names []string) {
	for _, b := range e.backends {
		names = append(names, b.Name)
	}
	return names
}

// choose makes the plan of every algorithm.
func (e *Engine) choose(w *wishes) error {
	if err := w.check(e); err != nil {
		return err
	}
	unusable := e.unusable()
	for _, alg := range ciphers.Algorithms() {
		if !e.allows(alg) {
			continue
		}
		p, err := w.of(e, alg)
		switch {
		case err != nil:
		case p.backend != nil:
			err = e.choosePinned(alg, p, unusable)
		case !alg.IsExchange():
			err = e.chooseBest(alg, unusable)
		}
		if err != nil {
			return err
		}
	}
	e.exchange.choose = func(group Algorithm) {
		if e.choices[group].pinned == "" {
			_ = e.chooseBest(group, unusable) // the report has the reasons; the group stays without an implementation
		}
	}
	return w.checkDevices(e, unusable)
}

// unusable says of each backend that cannot run here why.
func (e *Engine) unusable() map[*ciphers.Backend]error {
	reasons := map[*ciphers.Backend]error{}
	for _, b := range e.backends {
		if err := e.features.lack(b.Requires); err != nil {
			reasons[b] = err
		} else if b.Probe != nil {
			if err := b.Probe(); err != nil {
				reasons[b] = err
			}
		}
	}
	return reasons
}

// choosePinned takes the pinned backend, alone: lone packets are its too.
func (e *Engine) choosePinned(alg Algorithm, p pin, unusable map[*ciphers.Backend]error) error {
	if err := admit(p.backend, alg, unusable); err != nil {
		return p.broken(alg, err)
	}
	e.choices[alg].pinned = p.source
	e.take(alg, p.backend)
	return nil
}

// chooseBest takes the best backend that can run and passes the self-test, with
// the next best for lone packets where the first asks for that.
func (e *Engine) chooseBest(alg Algorithm, unusable map[*ciphers.Backend]error) error {
	c := &e.choices[alg]
	var best *ciphers.Backend
	for _, b := range ranked(e.backends, alg) {
		if !b.Serves(alg) {
			continue
		}
		if err := admit(b, alg, unusable); err != nil {
			c.refused = append(c.refused, refusal{b.Name, err})
			continue
		}
		if best != nil {
			e.takeLone(alg, b, best.Lone[alg])
			break
		}
		e.take(alg, b)
		if best = b; b.Lone[alg] == 0 {
			break
		}
	}
	if best == nil && len(c.refused) > 0 {
		return c.failure(alg)
	}
	return nil
}

// failure joins the reasons for which every backend of an algorithm was
// refused, in one line.
func (c *choice) failure(alg Algorithm) error {
	var err error = &NoBackendError{alg}
	for _, r := range c.refused {
		err = fmt.Errorf("%w; %s: %w", err, r.backend, r.reason)
	}
	return err
}

// admit says why a backend may not serve an algorithm, or nil.
func admit(b *ciphers.Backend, alg Algorithm, unusable map[*ciphers.Backend]error) error {
	if !b.Serves(alg) {
		return errLacks
	}
	if err := unusable[b]; err != nil {
		return err
	}
	return withoutPanic(func() error {
		if alg.IsExchange() {
			return selfTestExchange(alg, b.Exchanges[alg], b.Requires != 0)
		}
		return selfTest(alg, planOf(b, alg))
	})
}

func planOf(b *ciphers.Backend, alg Algorithm) *ciphers.Plan {
	if alg.IsMask() {
		return &ciphers.Plan{Mask: b.Masks[alg]}
	}
	return &ciphers.Plan{Bulk: b.AEADs[alg]}
}

func (e *Engine) take(alg Algorithm, b *ciphers.Backend) {
	e.choices[alg].bulk, e.choices[alg].priority = b.Name, b.PriorityOf(alg)
	if alg.IsExchange() {
		e.exchange.take(alg, b)
		return
	}
	e.plans[alg] = planOf(b, alg)
}

// takeLone adds b for bursts of up to limit packets.
func (e *Engine) takeLone(alg Algorithm, b *ciphers.Backend, limit int) {
	if alg.IsMask() {
		return
	}
	e.choices[alg].lone = b.Name
	if alg.IsExchange() {
		e.exchange.takeLone(alg, b, limit)
		return
	}
	e.plans[alg].Lone, e.plans[alg].LoneMax = b.AEADs[alg], limit
}
