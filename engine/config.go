package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"
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

// EnvDevices names DPDK's crypto devices, with a space between, which are backends then
// in a build that has DPDK (package ciphers/cryptodev). New fails with a
// *NamedDeviceError when one of them cannot be used, unless Config.IgnoreEnvironment is
// set.
const EnvDevices = "SEALBURST_CRYPTODEV"

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
	// CPU are the features that may be used, of those that the processor has: what
	// it lacks, this cannot add. Nil means all.
	CPU *cpu.Set
	// IgnoreEnvironment leaves EnvBackend and EnvCPU unread, and what EnvDevices
	// names without a device unsaid.
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

// features are those that may be used of what the processor has, and who took others away.
func (c *Config) features(processor cpu.Set) (features, error) {
	f := features{usable: processor}
	if c.CPU != nil {
		f.program, f.usable = f.usable&^*c.CPU, f.usable&*c.CPU
	}
	spec := os.Getenv(EnvCPU)
	if c.IgnoreEnvironment || spec == "" {
		return f, nil
	}
	left, err := cpu.Apply(f.usable, spec)
	if err != nil {
		return f, fmt.Errorf("engine: %s: %w", EnvCPU, err)
	}
	f.operator, f.usable = f.usable&^left, left
	return f, nil
}

// wishes are the pins of the program, and the pins and devices of the operator.
func (c *Config) wishes() (wishes, error) {
	w := wishes{program: pins{source: "Config", each: c.Backends, rest: c.Backend}}
	for alg, name := range c.Backends {
		if !alg.Valid() {
			return w, &PinError{Source: w.program.source, Algorithm: alg, Backend: name, Reason: ciphers.ErrUnknownAlgorithm}
		}
	}
	if c.IgnoreEnvironment {
		return w, nil
	}
	w.devices = strings.Fields(os.Getenv(EnvDevices))
	var err error
	w.operator, err = parsePins(EnvBackend, os.Getenv(EnvBackend))
	return w, err
}
