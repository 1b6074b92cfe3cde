package engine

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// The environment that New reads, unless Config.IgnoreEnvironment is set.
const (
	EnvBackend = "SEALBURST_BACKEND"
	EnvCPU     = "SEALBURST_CPU"
)

// Errors of New and NewKey, for errors.Is.
var (
	ErrNoBackend      = errors.New("engine: no backend serves the algorithm")
	ErrPin            = errors.New("engine: pin cannot be kept")
	ErrUnknownBackend = errors.New("engine: unknown backend")
	ErrClosed         = errors.New("engine: closed")
)

// Config says how an engine chooses. The zero value takes the best of the
// built-in backends for this processor.
type Config struct {
	// Backend is the backend that serves every algorithm it has; algorithms that
	// it lacks go to the best other. Empty means no such pin.
	Backend string
	// Backends pins single algorithms, and goes before Backend.
	Backends map[Algorithm]string
	// Available are the backends to choose from; nil means those built in.
	Available []*ciphers.Backend
	// CPU is the processor to choose for; nil means the one at hand.
	CPU *cpu.Set
	// IgnoreEnvironment leaves EnvBackend and EnvCPU unread.
	IgnoreEnvironment bool
}

// PinError says which pin cannot be kept and why. It is an ErrPin, and wraps the reason.
type PinError struct {
	Source    string // "Config" or the environment variable's name
	Algorithm Algorithm
	Backend   string
	Reason    error
}

// Error names the pin, where it came from and why it cannot be kept.
func (e *PinError) Error() string {
	what := e.Backend
	if e.Algorithm != 0 {
		what = e.Algorithm.String() + "=" + e.Backend
	}
	return fmt.Sprintf("engine: pin %s from %s cannot be kept: %v", what, e.Source, e.Reason)
}

// Unwrap gives ErrPin and the reason.
func (e *PinError) Unwrap() []error { return []error{ErrPin, e.Reason} }

// pin is one wish for a backend and who made it.
type pin struct {
	backend string
	source  string
	whole   bool // for every algorithm that the backend has
}

// pins are the wishes for single algorithms and the one for the rest.
type pins struct {
	each map[Algorithm]pin
	rest pin
}

// of is the pin that holds for an algorithm; its backend is empty for none.
func (p *pins) of(alg Algorithm) pin {
	if one, ok := p.each[alg]; ok {
		return one
	}
	return p.rest
}

func (c *Config) available() []*ciphers.Backend {
	if c.Available != nil {
		return c.Available
	}
	return builtin.Backends()
}

func (c *Config) features() (cpu.Set, error) {
	have := cpu.Detect()
	if c.CPU != nil {
		have = *c.CPU
	}
	spec := os.Getenv(EnvCPU)
	if c.IgnoreEnvironment || spec == "" {
		return have, nil
	}
	have, err := cpu.Apply(have, spec)
	if err != nil {
		return 0, fmt.Errorf("engine: %s: %w", EnvCPU, err)
	}
	return have, nil
}

// pins gathers what Config and the environment ask for. The program's pins go
// before the environment's; two that contradict each other for one algorithm
// are an error, since one of them would be silently broken.
func (c *Config) pins() (*pins, error) {
	p := &pins{each: map[Algorithm]pin{}}
	if !c.IgnoreEnvironment {
		if err := p.parse(os.Getenv(EnvBackend)); err != nil {
			return nil, err
		}
	}
	for alg, name := range c.Backends {
		if !alg.Valid() {
			return nil, &PinError{"Config", 0, name, ciphers.ErrUnknownAlgorithm}
		}
		if env, ok := p.each[alg]; ok && env.backend != name {
			return nil, &PinError{EnvBackend, alg, env.backend, fmt.Errorf("the program pins %s", name)}
		}
		p.each[alg] = pin{backend: name, source: "Config"}
	}
	if c.Backend != "" {
		if p.rest.backend != "" && p.rest.backend != c.Backend {
			return nil, &PinError{EnvBackend, 0, p.rest.backend, fmt.Errorf("the program pins %s", c.Backend)}
		}
		p.rest = pin{c.Backend, "Config", true}
	}
	return p, nil
}

// parse reads the value of EnvBackend: names and assignments between commas.
func (p *pins) parse(value string) error {
	for item := range strings.SplitSeq(value, ",") {
		item = strings.TrimSpace(item)
		name, backend, assigned := strings.Cut(item, "=")
		switch {
		case item == "":
			continue
		case !assigned && p.rest.backend != "":
			return &PinError{EnvBackend, 0, name, fmt.Errorf("%s is pinned for all too", p.rest.backend)}
		case !assigned:
			p.rest = pin{name, EnvBackend, true}
			continue
		}
		alg, err := ciphers.ParseAlgorithm(name)
		if err != nil {
			return &PinError{EnvBackend, 0, item, err}
		}
		if old, ok := p.each[alg]; ok && old.backend != backend {
			return &PinError{EnvBackend, alg, backend, fmt.Errorf("%s is pinned too", old.backend)}
		}
		p.each[alg] = pin{backend: backend, source: EnvBackend}
	}
	return nil
}
