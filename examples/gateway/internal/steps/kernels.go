package steps

import (
	"maps"
	"slices"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// Kernels measure what sealing and opening themselves take.
type Kernels struct{ seal, open count }

// Timed are backends that do what the given ones do, and tell k how long it took. An
// engine that is to be measured gets them as its Config.Available.
func (k *Kernels) Timed(backends []*ciphers.Backend) []*ciphers.Backend {
	timed := slices.Clone(backends)
	for i, b := range backends {
		c := *b
		c.AEADs = maps.Clone(b.AEADs)
		for algorithm, aead := range c.AEADs {
			c.AEADs[algorithm] = k.timed(aead)
		}
		timed[i] = &c
	}
	return timed
}

func (k *Kernels) timed(aead ciphers.AEAD) ciphers.AEAD {
	if library, ok := aead.(ciphers.Library); ok { // an engine asks for that too
		return &timedLibrary{timedAEAD{aead, k}, library}
	}
	return &timedAEAD{aead, k}
}

type timedLibrary struct {
	timedAEAD
	ciphers.Library
}

// timedAEAD is an implementation with a clock round each burst.
type timedAEAD struct {
	ciphers.AEAD
	kernels *Kernels
}

// Seal seals a burst.
func (a *timedAEAD) Seal(b ciphers.Burst) int {
	start := time.Now()
	n := a.AEAD.Seal(b)
	a.kernels.seal.add(len(b.Index), time.Since(start))
	return n
}

// Open opens a burst.
func (a *timedAEAD) Open(b ciphers.Burst) int {
	start := time.Now()
	n := a.AEAD.Open(b)
	a.kernels.open.add(len(b.Index), time.Since(start))
	return n
}

// Reset forgets what was measured, an engine's self-test for instance.
func (k *Kernels) Reset() {
	for _, c := range []*count{&k.seal, &k.open} {
		c.packets.Store(0)
		c.nanoseconds.Store(0)
	}
}
