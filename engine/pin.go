package engine

import (
	"fmt"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
)

// PinError says which pin cannot be kept and why. It is an ErrPin, and wraps the reason.
type PinError struct {
	Source    string    // "Config" or the environment variable's name
	Algorithm Algorithm // for which it cannot be kept; zero where that is not so of one alone
	Backend   string
	All       bool // the pin is for every algorithm that the backend has
	Reason    error
}

// Error quotes the pin and says where it came from and why it cannot be kept.
func (e *PinError) Error() string {
	what, of := e.Backend, ""
	switch {
	case e.Algorithm == 0:
	case e.All:
		of = e.Algorithm.String() + ": "
	default:
		what = e.Algorithm.String() + "=" + e.Backend
	}
	return fmt.Sprintf("%v: %q from %s: %s%v", ErrPin, what, e.Source, of, e.Reason)
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
			return &PinError{Source: p.source, Backend: item, All: true, Reason: fmt.Errorf("%s is pinned for all too", p.rest)}
		}
		p.rest = item
		return nil
	}
	alg, err := ciphers.ParseAlgorithm(strings.TrimSpace(name))
	if err != nil {
		return &PinError{Source: p.source, Backend: item, Reason: err}
	}
	backend = strings.TrimSpace(backend)
	if old, ok := p.each[alg]; ok && old != backend {
		return &PinError{Source: p.source, Algorithm: alg, Backend: backend, Reason: fmt.Errorf("%s is pinned too", old)}
	}
	p.each[alg] = backend
	return nil
}

// check refuses pins to backends that are not there, and of algorithms that are
// not let in.
func (p *pins) check(e *Engine) error {
	for _, alg := range ciphers.Algorithms() {
		if name, pinned := p.each[alg]; pinned && e.backend(name) == nil {
			return &PinError{Source: p.source, Algorithm: alg, Backend: name, Reason: e.unknown(name, builtin.Tag(name))}
		} else if pinned && !e.allows(alg) {
			return &PinError{Source: p.source, Algorithm: alg, Backend: name, Reason: &LegacyError{alg}}
		}
	}
	if p.rest != "" && e.backend(p.rest) == nil {
		return &PinError{Source: p.source, Backend: p.rest, All: true, Reason: e.unknown(p.rest, builtin.Tag(p.rest))}
	}
	return nil
}

// unknown says that there is no backend of that name, and the build tag that brings it,
// if one does.
func (e *Engine) unknown(name, tag string) error {
	remedy := ""
	if tag != "" {
		remedy = fmt.Sprintf(": %s needs cgo and -tags %s", name, tag)
	}
	return fmt.Errorf("%w%s; this build has %s", ErrUnknownBackend, remedy, strings.Join(e.names(), ", "))
}

// pin is the backend that a source wants for an algorithm; none where backend is nil.
type pin struct {
	backend *ciphers.Backend
	source  string
	all     bool // it is wanted for every algorithm that it has
}

func (p *pin) broken(alg Algorithm, why error) error {
	return &PinError{Source: p.source, Algorithm: alg, Backend: p.backend.Name, All: p.all, Reason: why}
}

// of is what the source wants for an algorithm.
func (p *pins) of(e *Engine, alg Algorithm) pin {
	if name, pinned := p.each[alg]; pinned {
		return pin{e.backend(name), p.source, false}
	}
	if b := e.backend(p.rest); b != nil && b.Serves(alg) {
		return pin{b, p.source, true}
	}
	return pin{}
}

// wishes are the pins of both sources, and the devices that the operator names.
type wishes struct {
	program, operator pins
	devices           []string
}

func (w *wishes) check(e *Engine) error {
	if err := w.program.check(e); err != nil {
		return err
	}
	return w.operator.check(e)
}

// of is what is wanted for an algorithm. Program and operator who want different
// backends are an error, since one of the pins would be broken silently.
func (w *wishes) of(e *Engine, alg Algorithm) (pin, error) {
	program, operator := w.program.of(e, alg), w.operator.of(e, alg)
	switch {
	case program.backend == nil:
		return operator, nil
	case operator.backend != nil && operator.backend != program.backend:
		return pin{}, operator.broken(alg, fmt.Errorf("the program pins %s", program.backend.Name))
	}
	return program, nil
}
