package steps

import (
	"maps"
	"slices"
	"time"

	"github.com/sealburst/sealburst/ciphers"
)

// Kernels measure what sealing and opening themselves take.
type Kernels struct {
	seal, open         count    // with algorithms of one part
	sealBoth, openBoth combined // and of two
	parts              []*parts // of those
}

// Timed are backends that do what the given ones do, and tell k how long it took. An
// engine that is to be measured gets them as its Config.Available.
func (k *Kernels) Timed(backends []*ciphers.Backend) []*ciphers.Backend {
	timed := slices.Clone(backends)
	for i, b := range backends {
		c := *b
		c.AEADs = maps.Clone(b.AEADs)
		for algorithm, aead := range c.AEADs {
			p := partsOf(b, algorithm)
			if p != nil {
				k.parts = append(k.parts, p)
			}
			c.AEADs[algorithm] = k.timed(aead, p)
		}
		timed[i] = &c
	}
	return timed
}

func (k *Kernels) timed(aead ciphers.AEAD, p *parts) ciphers.AEAD {
	one := timedAEAD{aead, k, p}
	switch aead := aead.(type) { // an engine asks for these too
	case ciphers.Library:
		return &timedLibrary{one, aead}
	case ciphers.RowAEAD:
		return &timedRows{one, aead}
	}
	return &one
}

type timedLibrary struct {
	timedAEAD
	ciphers.Library
}

// timedRows takes rows as well, which an engine has for algorithms of one part alone.
type timedRows struct {
	timedAEAD
	rows ciphers.RowAEAD
}

// SealRow seals a row.
func (r *timedRows) SealRow(ps []ciphers.Packet, slot int) int {
	start := time.Now()
	n := r.rows.SealRow(ps, slot)
	r.kernels.seal.add(len(ps), time.Since(start))
	return n
}

// OpenRow opens a row.
func (r *timedRows) OpenRow(ps []ciphers.Packet, slot int) int {
	start := time.Now()
	n := r.rows.OpenRow(ps, slot)
	r.kernels.open.add(len(ps), time.Since(start))
	return n
}

// timedAEAD is an implementation with a clock round each burst.
type timedAEAD struct {
	ciphers.AEAD
	kernels *Kernels
	parts   *parts // of a combined algorithm, else nil
}

// Seal seals a burst.
func (a *timedAEAD) Seal(b ciphers.Burst) int {
	if a.parts != nil {
		return a.kernels.sealBoth.run(a.parts, &a.parts.seal, b, ciphers.AEAD.Seal, a.AEAD)
	}
	start := time.Now()
	n := a.AEAD.Seal(b)
	a.kernels.seal.add(len(b.Index), time.Since(start))
	return n
}

// Open opens a burst.
func (a *timedAEAD) Open(b ciphers.Burst) int {
	if a.parts != nil {
		return a.kernels.openBoth.run(a.parts, &a.parts.open, b, ciphers.AEAD.Open, a.AEAD)
	}
	start := time.Now()
	n := a.AEAD.Open(b)
	a.kernels.open.add(len(b.Index), time.Since(start))
	return n
}

// Reset forgets what was measured, an engine's self-test for instance.
func (k *Kernels) Reset() {
	k.seal.reset()
	k.open.reset()
	k.sealBoth.reset()
	k.openBoth.reset()
	for _, p := range k.parts {
		p.seal.Store(0)
		p.open.Store(0)
	}
}
