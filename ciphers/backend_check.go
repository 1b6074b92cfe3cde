package ciphers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// BackendError says what is wrong with a Backend, whatever the processor.
type BackendError struct {
	Backend   string
	Algorithm Algorithm // zero where it is none's
	Reason    string
}

// Error names the backend, the algorithm and what is wrong.
func (e *BackendError) Error() string {
	if e.Algorithm == 0 {
		return fmt.Sprintf("ciphers: backend %q: %s", e.Backend, e.Reason)
	}
	return fmt.Sprintf("ciphers: backend %q: %v: %s", e.Backend, e.Algorithm, e.Reason)
}

// Check says what is wrong with a backend by a *BackendError, or nil: a name that no
// pin can give, an algorithm in a table of another kind or without an
// implementation, and a number for one that the backend does not serve.
func (b *Backend) Check() error {
	if b.Name == "" || strings.ContainsAny(b.Name, "=,") || strings.ContainsFunc(b.Name, unicode.IsSpace) {
		return &BackendError{b.Name, 0, "a name is not empty and has no '=', ',' or space, so that a pin can give it"}
	}
	for _, err := range []error{
		checkTable(b, "AEADs", b.AEADs, Algorithm.isAEAD),
		checkTable(b, "Masks", b.Masks, Algorithm.IsMask),
		checkTable(b, "Exchanges", b.Exchanges, Algorithm.IsExchange),
	} {
		if err != nil {
			return err
		}
	}
	return b.checkNumbers()
}

// checkTable refuses what one of the tables of implementations may not hold. The
// least algorithm is named, so that the error is the same each time.
func checkTable[T any](b *Backend, name string, table map[Algorithm]T, fits func(Algorithm) bool) error {
	for _, alg := range slices.Sorted(maps.Keys(table)) {
		switch {
		case !fits(alg):
			return &BackendError{b.Name, alg, "not of the kind that " + name + " holds"}
		case any(table[alg]) == nil:
			return &BackendError{b.Name, alg, name + " has no implementation of it"}
		}
	}
	return nil
}

// checkNumbers looks at what the backend says of when it is to be taken.
func (b *Backend) checkNumbers() error {
	for _, alg := range slices.Sorted(maps.Keys(b.Priorities)) {
		if !b.Serves(alg) {
			return &BackendError{b.Name, alg, "in Priorities, and the backend does not serve it"}
		}
	}
	for _, alg := range slices.Sorted(maps.Keys(b.Lone)) {
		if n := b.Lone[alg]; alg.IsMask() || !b.Serves(alg) || n < 0 || n > MaxBurst {
			return &BackendError{b.Name, alg, fmt.Sprintf("%d in Lone, which takes 0 to %d for what AEADs or Exchanges has", n, MaxBurst)}
		}
	}
	return nil
}

// Serves reports whether the backend has the algorithm.
func (b *Backend) Serves(alg Algorithm) bool {
	return b.AEADs[alg] != nil || b.Masks[alg] != nil || b.Exchanges[alg] != nil
}

func (a Algorithm) isAEAD() bool { return a.Valid() && !a.IsMask() && !a.IsExchange() }
