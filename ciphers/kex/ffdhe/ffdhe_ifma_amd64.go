//go:build amd64 && !purego

package ffdhe

import (
	"bytes"
	"math/big"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

//go:generate env GOWORK=off go run -C ../_asm ./ffdhe

// RequiresIFMA are the processor features that FFDHE2048IFMA and MODP14IFMA use.
const RequiresIFMA = cpu.AVX512F | cpu.AVX512IFMA | cpu.ZMM

// FFDHE2048IFMA exponentiates eight at a time, one in each 64-bit lane, on the
// 52-bit multiplier of AVX-512. A batch that does not fill its last eight costs
// as much as one that does. It needs RequiresIFMA.
func FFDHE2048IFMA() ciphers.Exchanger { return newIFMA(ffdhe2048) }

// MODP14IFMA is FFDHE2048IFMA for MODP group 14.
func MODP14IFMA() ciphers.Exchanger { return newIFMA(modp14) }

func newIFMA(prime string) ciphers.Exchanger {
	return ifma{sync.OnceValue(func() *field { return newField(prime) })}
}

// field is a prime of 2048 bits that is -1 modulo 2^64.
type field struct {
	p, p1, square limbs  // p, p+1, and 2^4160 modulo p
	top           []byte // p-1
}

func newField(prime string) *field {
	p, ok := new(big.Int).SetString(prime, 16)
	if !ok {
		panic("ffdhe: a prime of this package is no number")
	}
	of := func(n *big.Int) limbs { return unpack(n.FillBytes(make([]byte, width))) }
	one := big.NewInt(1)
	top := new(big.Int).Sub(p, one)
	square := new(big.Int).Lsh(one, 2*52*size)
	return &field{of(p), of(new(big.Int).Add(p, one)), of(square.Mod(square, p)), top.FillBytes(make([]byte, width))}
}

type ifma struct{ field func() *field }

// Exchange fulfils ciphers.Exchanger.
func (f ifma) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	w := borrow()
	defer w.giveBack()
	for len(b.Index) > 0 {
		part := b.Index[:min(lanes, len(b.Index))]
		b.Index = b.Index[len(part):]
		ok += w.exchange(f.field(), op, b.Entries, part)
	}
	return ok
}

// exchange does up to eight of the entries.
func (w *work) exchange(f *field, op ciphers.Operation, entries []ciphers.Exchange, index []uint8) int {
	var good [lanes]uint8
	n := 0
	for _, i := range index {
		x := &entries[i]
		if st := w.admit(f, op, x, n); st != ciphers.StatusOK {
			x.Fail(st)
			continue
		}
		good[n] = i
		n++
	}
	if n > 0 {
		w.run(f, op, entries, good[:n])
	}
	return n
}

// admit checks an entry and gives its exponent to a lane.
func (w *work) admit(f *field, op ciphers.Operation, x *ciphers.Exchange, lane int) ciphers.Status {
	e := w.exponents[lane][:]
	wrong := ciphers.StatusSeed
	switch {
	case op == ciphers.OpDerive || op == ciphers.OpDecapsulate:
		copy(e, x.Private)
		wrong = ciphers.StatusPrivate
	case x.Seed != nil:
		copy(e, x.Seed)
	default:
		draw(e, bits2048)
	}
	if !exponent(e, bits2048) {
		return wrong
	}
	if op != ciphers.OpGenerate && !f.acceptable(x.PeerShare()) {
		return ciphers.StatusShare
	}
	return ciphers.StatusOK
}

// acceptable reports whether 1 < y < p-1.
func (f *field) acceptable(y []byte) bool {
	one := [width]byte{width - 1: 1}
	return bytes.Compare(one[:], y) < 0 && bytes.Compare(y, f.top) < 0
}

// run exponentiates the generator for own shares and the peers' shares for secrets.
func (w *work) run(f *field, op ciphers.Operation, entries []ciphers.Exchange, index []uint8) {
	if op == ciphers.OpGenerate || op == ciphers.OpEncapsulate {
		w.base.setAll(&limbs{2})
		w.power(f)
		for lane, i := range index {
			w.giveShare(op, &entries[i], lane)
		}
	}
	if op != ciphers.OpGenerate {
		for lane, i := range index {
			l := unpack(entries[i].PeerShare())
			w.base.set(lane, &l)
		}
		w.power(f)
		for lane, i := range index {
			l := w.sum.get(lane)
			l.pack(entries[i].Secret)
		}
	}
	for _, i := range index {
		entries[i].Status = ciphers.StatusOK
	}
}

func (w *work) giveShare(op ciphers.Operation, x *ciphers.Exchange, lane int) {
	l := w.sum.get(lane)
	if op == ciphers.OpEncapsulate {
		l.pack(x.Ciphertext)
		return
	}
	copy(x.Private, w.exponents[lane][:])
	l.pack(x.Public)
}
