package engine

import (
	"strings"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

// features are the processor's that may be used, and those that were taken away.
type features struct {
	usable   cpu.Set
	program  cpu.Set // by Config.CPU
	operator cpu.Set // by EnvCPU
}

// MissingFeaturesError says which processor features a backend lacks here.
type MissingFeaturesError struct {
	Missing  cpu.Set // all of them
	Program  cpu.Set // of which the processor has these, and Config.CPU leaves them out
	Operator cpu.Set // likewise those that EnvCPU takes away
}

// Error lists the features, and who took them away that the processor has.
func (e *MissingFeaturesError) Error() string {
	var parts []string
	if lacks := e.Missing &^ (e.Program | e.Operator); lacks != 0 {
		parts = append(parts, "the processor lacks "+lacks.String())
	}
	if e.Program != 0 {
		parts = append(parts, "Config.CPU leaves out "+e.Program.String())
	}
	if e.Operator != 0 {
		parts = append(parts, EnvCPU+" takes away "+e.Operator.String())
	}
	return strings.Join(parts, ", ")
}

// lack says what of need is not there, or nil.
func (f *features) lack(need cpu.Set) error {
	missing := f.usable.Missing(need)
	if missing == 0 {
		return nil
	}
	return &MissingFeaturesError{missing, missing & f.program, missing & f.operator}
}
