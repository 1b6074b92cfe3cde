package engine

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// The contract's types, so that a user imports this package alone.
type (
	// Algorithm names an AEAD or a mask; see the constants of package ciphers.
	Algorithm = ciphers.Algorithm
	// Packet describes one record of a burst.
	Packet = ciphers.Packet
	// Status is the outcome of one packet.
	Status = ciphers.Status
	// Key is one key in one direction, or a mask key.
	Key = ciphers.Key
	// KeySpec describes a key to be made.
	KeySpec = ciphers.KeySpec
)

// Engine protects bursts of packets. Make one with New; one serves a whole
// program.
type Engine struct {
	plans       [ciphers.NumAlgorithms]*ciphers.Plan
	choices     [ciphers.NumAlgorithms]choice
	rows        [ciphers.NumAlgorithms]ciphers.RowAEAD // nil where there is none
	maskSealers maskSealers
	rowMaskers  [ciphers.NumAlgorithms]ciphers.RowMasker // nil where there is none
	exchange    exchanger
	features    features
	backends    []*ciphers.Backend
	legacy      bool // Config.AllowLegacy

	closed atomic.Bool
	shards []shard

	mu     sync.Mutex
	keys   map[*Key]struct{} // open, or closing
	empty  sync.Cond         // no key is left
	queues []*Queue          // open
}

// New makes an engine: it reads the processor and the pins, tests every
// implementation that it chooses, and fails when a pin cannot be kept, with a
// *PinError, when a device of EnvDevices is not there, with a *NamedDeviceError, when
// a backend is made wrongly, with a *ciphers.BackendError, or when an algorithm that
// some backend has is left without an implementation, with ErrNoBackend. A backend
// that panics in its self-test is refused; one that crashes the process, as foreign
// memory can, is beyond help.
func New(c Config) (*Engine, error) { return newOn(cpu.Detect(), c) }

// newOn makes an engine for a processor.
func newOn(processor cpu.Set, c Config) (*Engine, error) {
	features, err := c.features(processor)
	if err != nil {
		return nil, err
	}
	w, err := c.wishes()
	if err != nil {
		return nil, err
	}
	available, err := c.available()
	if err != nil {
		return nil, err
	}
	e := &Engine{features: features, legacy: c.AllowLegacy, keys: map[*Key]struct{}{}}
	e.shards = newShards(e)
	e.empty.L = &e.mu
	e.backends = byPriority(available)
	if err := e.choose(&w); err != nil {
		return nil, err
	}
	e.findRows()
	e.pairMasks()
	return e, nil
}

// NewKey makes a key for this engine. It fails with a *ciphers.FieldError for a
// spec that is wrong, ErrLegacy for an algorithm that Config.AllowLegacy does not
// let in, ErrNoBackend for one that no backend serves, and ErrClosed. The caller
// closes the key, which zeroes it.
func (e *Engine) NewKey(spec KeySpec) (*Key, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if !e.allows(spec.Algorithm) {
		return nil, &LegacyError{spec.Algorithm}
	}
	plan := e.plans[spec.Algorithm]
	if plan == nil {
		return nil, &NoBackendError{spec.Algorithm}
	}
	k, err := ciphers.NewKey(&spec, plan, owner{e})
	if err != nil {
		return nil, err
	}
	if !e.remember(k) {
		k.Close()
		return nil, ErrClosed
	}
	return k, nil
}

// Err is ErrClosed once Close has begun, and nil before.
func (e *Engine) Err() error {
	if e.closed.Load() {
		return ErrClosed
	}
	return nil
}

// remember notes a key for Close, and reports false when that is over.
func (e *Engine) remember(k *Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed.Load() {
		return false
	}
	e.keys[k] = struct{}{}
	return true
}

// NoBackendError names the algorithm that no backend serves. It is an ErrNoBackend.
type NoBackendError struct{ Algorithm Algorithm }

// Error names the algorithm.
func (e *NoBackendError) Error() string { return ErrNoBackend.Error() + " " + e.Algorithm.String() }

// Is makes the error an ErrNoBackend.
func (e *NoBackendError) Is(target error) bool { return target == ErrNoBackend }

// LegacyError names the algorithm that Config.AllowLegacy does not let in. It is
// an ErrLegacy.
type LegacyError struct{ Algorithm Algorithm }

// Error names the algorithm.
func (e *LegacyError) Error() string { return ErrLegacy.Error() + " " + e.Algorithm.String() }

// Is makes the error an ErrLegacy.
func (e *LegacyError) Is(target error) bool { return target == ErrLegacy }

func (e *Engine) allows(alg Algorithm) bool { return e.legacy || !alg.IsLegacy() }

// Supports reports whether a backend serves the algorithm.
func (e *Engine) Supports(alg Algorithm) bool {
	return alg.Valid() && (e.plans[alg] != nil || e.exchange.supports(alg))
}

// Close refuses new bursts and keys, waits for the bursts that run, and closes
// every queue and key that is still open. When it returns, all keys are zero. It must not
// be called from within a burst. Closing twice is allowed.
func (e *Engine) Close() {
	e.closed.Store(true)
	e.Quiesce()
	e.closeQueues()
	for _, k := range e.open() {
		k.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.keys) > 0 { // others close these
		e.empty.Wait()
	}
}

// open lists the keys that are not closed yet. Once the engine is closed, there
// will be no others.
func (e *Engine) open() []*Key {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Keys(e.keys))
}

// owner is the engine as its keys see it.
type owner struct{ *Engine }

// Forget is for a closing key to call.
func (e owner) Forget(k *Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.keys, k)
	if len(e.keys) == 0 {
		e.empty.Broadcast()
	}
}
