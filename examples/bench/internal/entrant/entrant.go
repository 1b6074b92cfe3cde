// Package entrant makes the engines that a bench measures: one pinned to each
// backend of the build that can run here, and one that chooses for itself.
package entrant

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/engine"
)

// Auto is the name of the engine that chooses for itself. It is the first of All.
const Auto = "auto"

// Entrant is an engine under the name of its backend.
type Entrant struct {
	Name    string
	Engine  *engine.Engine
	backend *ciphers.Backend // nil for Auto
}

// Has reports whether the entrant's own backend serves the algorithm.
func (e *Entrant) Has(alg engine.Algorithm) bool {
	if e.backend == nil {
		return e.Engine.Supports(alg)
	}
	return e.backend.Serves(alg)
}

// Absent is a backend that cannot run here.
type Absent struct {
	Name   string
	Reason error
}

// All makes every entrant for a processor of these features. The environment is
// not read. Auto is among them where there is something to choose from.
func All(features cpu.Set) (all []*Entrant, absent []Absent, err error) {
	for _, b := range builtin.Backends() {
		e, err := engine.New(engine.Config{Backend: b.Name, CPU: &features, IgnoreEnvironment: true})
		if err != nil {
			absent = append(absent, Absent{b.Name, err})
			continue
		}
		all = append(all, &Entrant{b.Name, e, b})
	}
	if len(all) < 2 {
		return all, absent, nil
	}
	e, err := engine.New(engine.Config{CPU: &features, IgnoreEnvironment: true})
	if err != nil {
		return nil, nil, err
	}
	return append([]*Entrant{{Name: Auto, Engine: e}}, all...), absent, nil
}
