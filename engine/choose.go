package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// choice is how an algorithm's plan came about, for the report.
type choice struct {
	bulk    string
	lone    string
	pinned  string // the pin's source, or empty
	refused []refusal
}

// refusal is a backend that has the algorithm and was not taken.
type refusal struct {
	backend string
	reason  error
}

// MissingFeaturesError says which processor features a backend lacks here.
type MissingFeaturesError struct{ Missing cpu.Set }

// Error lists the features.
func (e *MissingFeaturesError) Error() string {
	return "the processor lacks " + e.Missing.String()
}

var errLacks = errors.New("the backend does not have the algorithm")

// byPriority orders backends, the best first; equals keep their order.
func byPriority(all []*ciphers.Backend) []*ciphers.Backend {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *ciphers.Backend) int { return cmp.Compare(b.Priority, a.Priority) })
	return sorted
}

// choose makes the plan of every algorithm.
func (e *Engine) choose(wishes *pins) error {
	if err := e.checkNames(wishes); err != nil {
		return err
	}
	reasons := e.unusable()
	for _, alg := range ciphers.Algorithms() {
		if err := e.chooseOne(alg, wishes.of(alg), reasons); err != nil {
			return err
		}
	}
	return nil
}

// checkNames refuses pins to backends that are not there, or, for a pin of
// everything, cannot run here.
func (e *Engine) checkNames(wishes *pins) error {
	all := []pin{wishes.rest}
	for _, p := range wishes.each {
		all = append(all, p)
	}
	for _, p := range all {
		if p.backend != "" && e.backend(p.backend) == nil {
			return &PinError{p.source, 0, p.backend, fmt.Errorf("%w; this build has %v", ErrUnknownBackend, e.names())}
		}
	}
	return nil
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

// unusable says of each backend that cannot run here why.
func (e *Engine) unusable() map[*ciphers.Backend]error {
	reasons := map[*ciphers.Backend]error{}
	for _, b := range e.backends {
		if missing := e.features.Missing(b.Requires); missing != 0 {
			reasons[b] = &MissingFeaturesError{missing}
		} else if b.Probe != nil {
			if err := b.Probe(); err != nil {
				reasons[b] = err
			}
		}
	}
	return reasons
}

// chooseOne finds the implementations of one algorithm: the pinned one, or the
// best that can run and passes the self-test, with the next best for lone
// packets where the first asks for that.
func (e *Engine) chooseOne(alg Algorithm, wish pin, unusable map[*ciphers.Backend]error) error {
	c := &e.choices[alg]
	if wish.backend != "" {
		b := e.backend(wish.backend)
		if has(b, alg) || !wish.whole {
			c.pinned = wish.source
			if err := admit(b, alg, unusable); err != nil {
				return &PinError{wish.source, alg, wish.backend, err}
			}
			e.take(alg, b)
			return nil
		}
	}
	offered := false
	for _, b := range e.backends {
		if !has(b, alg) {
			continue
		}
		offered = true
		if err := admit(b, alg, unusable); err != nil {
			c.refused = append(c.refused, refusal{b.Name, err})
			continue
		}
		if e.plans[alg] == nil {
			e.take(alg, b)
			if b.Lone[alg] == 0 {
				break
			}
			continue
		}
		e.takeLone(alg, b)
		break
	}
	if offered && e.plans[alg] == nil {
		return c.failure(alg)
	}
	return nil
}

// failure joins the reasons for which every backend of an algorithm was refused.
func (c *choice) failure(alg Algorithm) error {
	errs := []error{&NoBackendError{alg}}
	for _, r := range c.refused {
		errs = append(errs, fmt.Errorf("%s: %w", r.backend, r.reason))
	}
	return errors.Join(errs...)
}

func has(b *ciphers.Backend, alg Algorithm) bool {
	return b.AEADs[alg] != nil || b.Masks[alg] != nil
}

// admit says why a backend may not serve an algorithm, or nil.
func admit(b *ciphers.Backend, alg Algorithm, unusable map[*ciphers.Backend]error) error {
	if !has(b, alg) {
		return errLacks
	}
	if err := unusable[b]; err != nil {
		return err
	}
	return selfTest(alg, planOf(b, alg))
}

func planOf(b *ciphers.Backend, alg Algorithm) *ciphers.Plan {
	if alg.IsMask() {
		return &ciphers.Plan{Mask: b.Masks[alg]}
	}
	return &ciphers.Plan{Bulk: b.AEADs[alg]}
}

func (e *Engine) take(alg Algorithm, b *ciphers.Backend) {
	e.plans[alg] = planOf(b, alg)
	e.choices[alg].bulk = b.Name
}

// takeLone adds b for the small bursts that the plan's backend is slower at.
func (e *Engine) takeLone(alg Algorithm, b *ciphers.Backend) {
	e.plans[alg].Lone = b.AEADs[alg]
	e.plans[alg].LoneMax = e.backend(e.choices[alg].bulk).Lone[alg]
	e.choices[alg].lone = b.Name
}
