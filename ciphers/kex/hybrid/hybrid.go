// Package hybrid puts two groups together (draft-ietf-tls-ecdhe-mlkem): shares,
// ciphertexts and secrets are those of the halves, one after the other. An entry
// of which one half fails, fails whole.
package hybrid

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// X25519MLKEM768 puts an implementation of ML-KEM-768 before one of X25519.
func X25519MLKEM768(mlkem, x25519 ciphers.Exchanger) ciphers.Exchanger {
	return &hybrid{half{mlkem, ciphers.MLKEM768}, half{x25519, ciphers.X25519}}
}

// SecP256r1MLKEM768 puts an implementation of P-256 before one of ML-KEM-768.
func SecP256r1MLKEM768(p256, mlkem ciphers.Exchanger) ciphers.Exchanger {
	return &hybrid{half{p256, ciphers.P256}, half{mlkem, ciphers.MLKEM768}}
}

type half struct {
	ciphers.Exchanger
	group ciphers.Algorithm
}

type hybrid struct{ first, second half }

// Exchange fulfils ciphers.Exchanger. Each half sees the whole batch in one call.
func (h *hybrid) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	n := len(b.Index)
	for at, i := range b.Index {
		s.first[at], s.second[at] = h.split(&b.Entries[i])
	}
	h.first.Exchange(op, ciphers.ExchangeBatch{Entries: s.first[:n], Index: ciphers.Identity(n)})
	h.second.Exchange(op, ciphers.ExchangeBatch{Entries: s.second[:n], Index: ciphers.Identity(n)})
	for at, i := range b.Index {
		ok += settle(&b.Entries[i], &s.first[at], &s.second[at])
	}
	clear(s.first[:n])
	clear(s.second[:n])
	return ok
}

// split gives each half its part of every slice of x.
func (h *hybrid) split(x *ciphers.Exchange) (first, second ciphers.Exchange) {
	f := h.first.group
	first = ciphers.Exchange{Group: f, Operation: x.Operation}
	second = ciphers.Exchange{Group: h.second.group, Operation: x.Operation}
	first.Private, second.Private = cut(x.Private, f.PrivateSize())
	first.Public, second.Public = cut(x.Public, f.PublicSize())
	first.Ciphertext, second.Ciphertext = cut(x.Ciphertext, f.CiphertextSize())
	first.Secret, second.Secret = cut(x.Secret, f.SecretSize())
	if x.Seed != nil {
		first.Seed, second.Seed = cut(x.Seed, h.seedSize(x.Operation))
	}
	if p, both := x.Prepared.(*prepared); both {
		first.Prepared, second.Prepared = p.first, p.second
	}
	return first, second
}

// seedSize is how much of a seed is the first half's.
func (h *hybrid) seedSize(op ciphers.Operation) int {
	if op == ciphers.OpGenerate {
		return h.first.group.PrivateSize()
	}
	return h.first.group.SeedSize()
}

// cut splits b after n bytes. A slice that the operation does not use may be shorter.
func cut(b []byte, n int) (first, second []byte) {
	n = min(n, len(b))
	return b[:n:n], b[n:]
}

// settle joins the outcomes of the halves, and returns 1 if both are good.
func settle(x, first, second *ciphers.Exchange) int {
	for _, part := range [...]*ciphers.Exchange{first, second} {
		if part.Status != ciphers.StatusOK {
			x.Fail(part.Status)
			return 0
		}
	}
	x.Status = ciphers.StatusOK
	keep(x, first.Prepared, second.Prepared)
	return 1
}

// keep stores what the halves prepared, unless it stands there or is nothing.
func keep(x *ciphers.Exchange, first, second ciphers.Prepared) {
	p, both := x.Prepared.(*prepared)
	if first == nil && second == nil || both && p.first == first && p.second == second {
		return
	}
	x.Prepared = &prepared{first, second}
}

// prepared is what the halves prepared; either may be nil.
type prepared struct{ first, second ciphers.Prepared }

// Clear fulfils ciphers.Prepared.
func (p *prepared) Clear() {
	for _, part := range [...]ciphers.Prepared{p.first, p.second} {
		if part != nil {
			part.Clear()
		}
	}
	*p = prepared{}
}

// scratch holds the halves of a batch while it runs.
type scratch struct {
	first, second [ciphers.MaxBurst]ciphers.Exchange
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}
