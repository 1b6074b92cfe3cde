package engine

import (
	"fmt"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
)

// PinError says which pin cannot be kept and why. It is an ErrPin, and wraps the reason.
type PinError struct {
	Source    string    // "Config" or the environment variable's name
	Algorithm Algorithm // zero for a pin of every algorithm
	Backend   string
	Reason    error
}

// Error names the pin, where it came from and why it cannot be kept.
func (e *PinError) Error() string {
	what := e.Backend
	if e.Algorithm != 0 {
		what = e.Algorithm.String() + "=" + e.Backend
	}
	return fmt.Sprintf("%v: %q from %s: %v", ErrPin, what, e.Source, e.Reason)
}

// Unwrap gives ErrPin and the reason.
func (e *PinError) Unwrap() []error { return []error{ErrPin, e.Reason} }

// pins are the backends that one source asks for.
type pins struct {
	source string
	each   map[Algorithm]string // for single algorithms
	rest   string               // for every other algorithm that the backend has, or empty
}

// parsePins reads the value of EnvBackend: names and assignments between commas.
func parsePins(source, value string) (pins, error) {
	p := pins{source: source, each: map[Algorithm]string{}}
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if err := p.parse(item); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *pins) parse(item string) error {
	name, backend, assigned := strings.Cut(item, "=")
	if !assigned {
		if p.rest != "" && p.rest != item {
			return &PinError{p.source, 0, item, fmt.Errorf("%s is pinned for all too", p.rest)}
		}
		p.rest = item
		return nil
	}
	alg, err := ciphers.ParseAlgorithm(strings.TrimSpace(name))
	if err != nil {
		return &PinError{p.source, 0, item, err}
	}
	backend = strings.TrimSpace(backend)
	if old, ok := p.each[alg]; ok && old != backend {
		return &PinError{p.source, alg, backend, fmt.Errorf("%s is pinned too", old)}
	}
	p.each[alg] = backend
	return nil
}

// check refuses pins to backends that are not there, and of algorithms that are
// not let in.
func (p *pins) check(e *Engine) error {
	for _, alg := range ciphers.Algorithms() {
		if name, pinned := p.each[alg]; pinned && e.backend(name) == nil {
			return &PinError{p.source, alg, name, e.unknown()}
		} else if pinned && !e.allows(alg) {
			return &PinError{p.source, alg, name, &LegacyError{alg}}
		}
	}
	if p.rest != "" && e.backend(p.rest) == nil {
		return &PinError{p.source, 0, p.rest, e.unknown()}
	}
	return nil
}

func (e *Engine) unknown() error {
	return fmt.Errorf("%w; this build has %s", ErrUnknownBackend, strings.Join(e.names(), ", "))
}

// of is the backend that the source wants for an algorithm, or nil for none.
func (p *pins) of(e *Engine, alg Algorithm) *ciphers.Backend {
	if name, pinned := p.each[alg]; pinned {
		return e.backend(name)
	}
	if b := e.backend(p.rest); b != nil && b.Serves(alg) {
		return b
	}
	return nil
}

// wishes are the pins of both sources.
type wishes struct{ program, operator pins }

func (w *wishes) check(e *Engine) error {
	if err := w.program.check(e); err != nil {
		return err
	}
	return w.operator.check(e)
}

// of is the backend that is wanted for an algorithm and who wants it. Program
// and operator who want different ones are an error, since one of the pins
// would be broken silently.
func (w *wishes) of(e *Engine, alg Algorithm) (*ciphers.Backend, string, error) {
	program, operator := w.program.of(e, alg), w.operator.of(e, alg)
	switch {
	case program == nil:
		return operator, w.operator.source, nil
	case operator != nil && operator != program:
		return nil, "", &PinError{w.operator.source, alg, operator.Name, fmt.Errorf("the program pins %s", program.Name)}
	}
	return program, w.program.source, nil
}
