// Package kex turns the mathematics of one key exchange at a time, as libraries
// have it, into an implementation that takes batches. Its sub-packages hold the
// groups.
package kex

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"

	"github.com/sealburst/sealburst/ciphers"
)

// DH is a Diffie-Hellman group of a library, a comparable value. Its methods see
// slices of the group's sizes.
type DH interface {
	// Draw fills private from the system's random source. What Prepare then refuses
	// is drawn again, so that most of what Draw gives must be private keys.
	Draw(private []byte)
	// Prepare makes the library's form of a private key, or fails by StatusPrivate.
	// The form may keep the slice.
	Prepare(private []byte) (Private, ciphers.Status)
}

// Private is a private key in a library's form.
type Private interface {
	// Public writes the public share.
	Public(public []byte)
	// Shared writes the shared secret with a peer, or fails by StatusShare.
	Shared(secret, peer []byte) ciphers.Status
}

// Each is the implementation that calls the library once an entry.
func Each(group DH) ciphers.Exchanger { return each{group} }

type each struct{ group DH }

// Exchange fulfils ciphers.Exchanger.
func (e each) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	return ForEach(b, func(x *ciphers.Exchange) ciphers.Status {
		switch op {
		case ciphers.OpGenerate:
			return e.generate(x)
		case ciphers.OpEncapsulate:
			return e.encapsulate(x)
		}
		return e.derive(x)
	})
}

// ForEach runs one exchange after the other and returns how many succeeded.
func ForEach(b ciphers.ExchangeBatch, do func(*ciphers.Exchange) ciphers.Status) (ok int) {
	for _, i := range b.Index {
		x := &b.Entries[i]
		if st := do(x); st != ciphers.StatusOK {
			x.Fail(st)
			continue
		}
		x.Status = ciphers.StatusOK
		ok++
	}
	return ok
}

func (e each) generate(x *ciphers.Exchange) ciphers.Status {
	p, st := e.fresh(x.Private, x.Seed)
	if st != ciphers.StatusOK {
		return st
	}
	p.key.Public(x.Public)
	x.Prepared = p
	return ciphers.StatusOK
}

func (e each) derive(x *ciphers.Exchange) ciphers.Status {
	p, st := e.prepared(x)
	if st != ciphers.StatusOK {
		return st
	}
	return p.key.Shared(x.Secret, x.PeerShare())
}

func (e each) encapsulate(x *ciphers.Exchange) ciphers.Status {
	private := make([]byte, x.Group.PrivateSize())
	defer clear(private)
	p, st := e.fresh(private, x.Seed)
	if st != ciphers.StatusOK {
		return st
	}
	defer p.Clear()
	p.key.Public(x.Ciphertext)
	return p.key.Shared(x.Secret, x.Public)
}

// fresh fills private from the seed or the random source and prepares it.
func (e each) fresh(private, seed []byte) (*prepared, ciphers.Status) {
	if seed == nil {
		return e.draw(private)
	}
	copy(private, seed)
	p, st := e.prepare(private)
	if st == ciphers.StatusPrivate {
		st = ciphers.StatusSeed
	}
	return p, st
}

func (e each) draw(private []byte) (*prepared, ciphers.Status) {
	for {
		e.group.Draw(private)
		if p, st := e.prepare(private); st != ciphers.StatusPrivate {
			return p, st
		}
	}
}

// prepared finds the library's form of x.Private in x, or makes it.
func (e each) prepared(x *ciphers.Exchange) (*prepared, ciphers.Status) {
	p, ok := x.Prepared.(*prepared)
	if ok && p.key != nil && p.group == e.group && subtle.ConstantTimeCompare(p.private, x.Private) == 1 {
		return p, ciphers.StatusOK
	}
	p, st := e.prepare(x.Private)
	if st == ciphers.StatusOK {
		x.Prepared = p
	}
	return p, st
}

func (e each) prepare(private []byte) (*prepared, ciphers.Status) {
	p := &prepared{group: e.group, private: bytes.Clone(private)}
	var st ciphers.Status
	p.key, st = e.group.Prepare(p.private)
	return p, st
}

// prepared is the library's form of one private key of one group.
type prepared struct {
	group   DH
	private []byte
	key     Private
}

// Clear fulfils ciphers.Prepared.
func (p *prepared) Clear() {
	clear(p.private)
	p.key = nil
}

// Random fills b from the system's random source, which does not fail.
func Random(b []byte) { _, _ = rand.Read(b) }

// SeedOrRandom fills secret from the seed, of the same length, or where that is nil
// from the system's random source.
func SeedOrRandom(secret, seed []byte) {
	if seed == nil {
		Random(secret)
		return
	}
	copy(secret, seed)
}
