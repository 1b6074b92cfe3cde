package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"

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
	ErrClosed         = ciphers.ErrEngineClosed // which StatusEngine.Err is too
	ErrLegacy         = errors.New("engine: legacy algorithm without AllowLegacy")
)

// Config says how an engine chooses. The zero value takes the best of the
// built-in backends for this processor.
type Config struct {
	// Backend is the backend that serves every algorithm it has; algorithms that
	// it lacks go to the best other. Empty means no such pin.
	Backend string
	// Backends pins single algorithms, and goes before Backend. The package's comment
	// lists the names that they have in the environment.
	Backends map[Algorithm]string
	// Available are the backends to choose from; nil means builtin.Backends of
	// package ciphers/builtin, to which a program may append its own. Each has a
	// name of its own and passes ciphers.Backend.Check.
	Available []*ciphers.Backend
	// CPU is the processor to choose for; nil means the one at hand.
	CPU *cpu.Set
	// IgnoreEnvironment leaves EnvBackend and EnvCPU unread.
	IgnoreEnvironment bool
	// AllowLegacy lets the engine serve algorithms that are there to talk to old
	// equipment and to measure (Algorithm.IsLegacy): DES, 3DES, Blowfish, NULL
	// encryption, HMAC with MD5 and SHA-1. Without it NewKey refuses them with
	// ErrLegacy. The report marks them.
	AllowLegacy bool
}

func (c *Config) available() ([]*ciphers.Backend, error) {
	available := c.Available
	if available == nil {
		available = builtin.Backends()
	}
	if len(available) == 0 || slices.Contains(available, nil) {
		return nil, &ciphers.FieldError{Field: "Available", Reason: "empty, or with a nil backend"}
	}
	seen := map[string]bool{}
	for _, b := range available {
		if seen[b.Name] {
			return nil, &ciphers.FieldError{Field: "Available", Reason: fmt.Sprintf("two backends with the name %q, which a pin could not tell apart", b.Name)}
		}
		seen[b.Name] = true
		if err := b.Check(); err != nil {
			return nil, err
		}
	}
	return available, nil
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

// wishes are the pins of the program and those of the operator.
func (c *Config) wishes() (wishes, error) {
	w := wishes{program: pins{source: "Config", each: c.Backends, rest: c.Backend}}
	for alg, name := range c.Backends {
		if !alg.Valid() {
			return w, &PinError{w.program.source, alg, name, ciphers.ErrUnknownAlgorithm}
		}
	}
	if c.IgnoreEnvironment {
		return w, nil
	}
	var err error
	w.operator, err = parsePins(EnvBackend, os.Getenv(EnvBackend))
	return w, err
}
