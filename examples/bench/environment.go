package main

import (
	"fmt"
	"os"

	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
)

// entrants are the engines of this build; what cannot run here is remarked on. A
// backend that the environment chooses is none of a table's business, since tables
// measure them all; processor features that it takes away are taken away.
func entrants(s streams) ([]*entrant.Entrant, error) {
	if v := os.Getenv(engine.EnvBackend); v != "" {
		fmt.Fprintf(s.err, "bench: %s=%s is ignored: the tables measure every backend\n", engine.EnvBackend, v)
	}
	features := cpu.Detect()
	if v := os.Getenv(engine.EnvCPU); v != "" {
		var err error
		if features, err = cpu.Apply(features, v); err != nil {
			return nil, fmt.Errorf("%s: %w", engine.EnvCPU, err)
		}
		fmt.Fprintf(s.err, "bench: %s=%s leaves out backends that need these features; the libraries' own rows keep them\n", engine.EnvCPU, v)
	}
	all, absent, err := entrant.All(features)
	for _, a := range absent {
		fmt.Fprintf(s.err, "bench: backend %s is left out: %v\n", a.Name, a.Reason)
	}
	return all, err
}
