//go:build openssl

package openssl

/*
#include "exchange.h"

#cgo noescape openssl_exchange
#cgo nocallback openssl_exchange
*/
import "C"

import (
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"runtime"
	"sync"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// exchanges are the groups that the library serves.
func exchanges() map[ciphers.Algorithm]ciphers.Exchanger {
	return map[ciphers.Algorithm]ciphers.Exchanger{
		ciphers.X25519:    &group{c: &C.openssl_x25519},
		ciphers.P256:      &group{c: &C.openssl_p256, order: orderOf(elliptic.P256())},
		ciphers.P384:      &group{c: &C.openssl_p384, order: orderOf(elliptic.P384())},
		ciphers.FFDHE2048: &group{c: &C.openssl_ffdhe2048, bits: 225},
		ciphers.FFDHE3072: &group{c: &C.openssl_ffdhe3072, bits: 275},
		ciphers.FFDHE4096: &group{c: &C.openssl_ffdhe4096, bits: 325},
		ciphers.MODP14:    &group{c: &C.openssl_modp14, bits: 225},
	}
}

func orderOf(c elliptic.Curve) []byte { return c.Params().N.Bytes() }

// group is one of the library's groups. It crosses to C once a batch.
type group struct {
	c     *C.struct_group
	order []byte // of a curve's private keys, which are below it
	bits  int    // of a finite field's exponents, at most
}

// space is a batch as C takes it.
type space [ciphers.MaxBurst]C.struct_exchange

var spaces = sync.Pool{New: func() any { return new(space) }}

// Exchange fulfils ciphers.Exchanger.
func (g *group) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	s := spaces.Get().(*space)
	defer spaces.Put(s)
	sent := make([]uint8, 0, ciphers.MaxBurst)
	for _, i := range b.Index {
		c := &s[len(sent)]
		if st := g.load(c, &b.Entries[i], op); st != ciphers.StatusOK {
			*c = C.struct_exchange{} // it has the seed or the private key
			b.Entries[i].Fail(st)
			continue
		}
		sent = append(sent, i)
	}
	if len(sent) > 0 {
		C.openssl_exchange(g.c, operationOf(op), &s[0], C.size_t(len(sent)))
	}
	for at, i := range sent {
		ok += g.settle(&s[at], &b.Entries[i], op)
		s[at] = C.struct_exchange{}
	}
	return ok
}

func operationOf(op ciphers.Operation) C.enum_operation {
	switch op {
	case ciphers.OpGenerate:
		return C.GENERATE
	case ciphers.OpEncapsulate:
		return C.ENCAPSULATE
	}
	return C.DERIVE
}

// load fills in what C reads of an entry.
func (g *group) load(c *C.struct_exchange, x *ciphers.Exchange, op ciphers.Operation) ciphers.Status {
	private := bytesOf(&c.private)[:x.Group.PrivateSize()]
	if op == ciphers.OpGenerate || op == ciphers.OpEncapsulate {
		if !g.draw(private, x.Seed) {
			return ciphers.StatusSeed
		}
		copy(bytesOf(&c.peer), x.Public)
		return ciphers.StatusOK
	}
	copy(private, x.Private)
	copy(bytesOf(&c.peer), x.PeerShare())
	if p, ok := x.Prepared.(*prepared); ok && p.fits(g, private) {
		c.key = p.key
		return ciphers.StatusOK
	}
	if !g.valid(private) {
		return ciphers.StatusPrivate
	}
	return ciphers.StatusOK
}

// bytesOf is an array of C as a slice.
func bytesOf[T any](array *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(array)), unsafe.Sizeof(*array))
}

// settle takes over what C made of an entry, and returns 1 if that is good.
func (g *group) settle(c *C.struct_exchange, x *ciphers.Exchange, op ciphers.Operation) int {
	g.keep(c, x, op)
	switch c.outcome {
	case C.BAD_SHARE:
		x.Fail(ciphers.StatusShare)
		return 0
	case C.FAILED:
		x.Fail(ciphers.StatusBackend)
		return 0
	}
	switch op {
	case ciphers.OpGenerate:
		copy(x.Private, bytesOf(&c.private))
		copy(x.Public, bytesOf(&c.public))
	case ciphers.OpEncapsulate:
		copy(x.Ciphertext, bytesOf(&c.public))
		copy(x.Secret, bytesOf(&c.secret))
	default:
		copy(x.Secret, bytesOf(&c.secret))
	}
	x.Status = ciphers.StatusOK
	return 1
}

// keep stores the library's form of the private key, unless it stands there.
func (g *group) keep(c *C.struct_exchange, x *ciphers.Exchange, op ciphers.Operation) {
	if p, ok := x.Prepared.(*prepared); c.key == nil || ok && p.key == c.key {
		return
	}
	x.Prepared = newPrepared(g, bytesOf(&c.private)[:x.Group.PrivateSize()], c.key)
}

// prepared is the library's form of a private key of one group. Who drops it
// without Clear leaves it to the garbage collector.
type prepared struct {
	group   *group
	private []byte
	key     *C.EVP_PKEY
	cleanup runtime.Cleanup
}

func newPrepared(g *group, private []byte, key *C.EVP_PKEY) *prepared {
	p := &prepared{group: g, private: append([]byte(nil), private...), key: key}
	p.cleanup = runtime.AddCleanup(p, func(key *C.EVP_PKEY) { C.EVP_PKEY_free(key) }, key)
	return p
}

func (p *prepared) fits(g *group, private []byte) bool {
	return p.key != nil && p.group == g && subtle.ConstantTimeCompare(p.private, private) == 1
}

// Clear fulfils ciphers.Prepared.
func (p *prepared) Clear() {
	if p.key == nil {
		return
	}
	p.cleanup.Stop()
	C.EVP_PKEY_free(p.key)
	p.key = nil
	clear(p.private)
}

// draw fills private from the seed or the random source, and reports whether it
// is a private key.
func (g *group) draw(private, seed []byte) bool {
	if seed != nil {
		copy(private, seed)
		return g.valid(private)
	}
	for {
		_, _ = rand.Read(private) // does not fail
		if g.bits > 0 {
			top := byte(1) << ((g.bits - 1) % 8)
			private[0] = private[0]&(top-1) | top
		}
		if g.valid(private) {
			return true
		}
	}
}

// valid reports whether a private key is one of the group: from 1 to the order
// less one, or an exponent whose upper half is not zero. X25519 takes all.
func (g *group) valid(private []byte) bool {
	switch {
	case g.order != nil:
		return below(private, g.order) && !zero(private)
	case g.bits > 0:
		return private[0]>>((g.bits-1)%8+1) == 0 && !zero(private[:len(private)/2])
	}
	return true
}

// below reports whether a is less than b, both big-endian of one length, in
// constant time.
func below(a, b []byte) bool {
	borrow := 0
	for i := len(a) - 1; i >= 0; i-- {
		borrow = (int(a[i]) - int(b[i]) - borrow) >> 8 & 1
	}
	return borrow == 1
}

// zero reports whether all bytes are, in constant time.
func zero(b []byte) bool {
	var or byte
	for _, v := range b {
		or |= v
	}
	return or == 0
}
