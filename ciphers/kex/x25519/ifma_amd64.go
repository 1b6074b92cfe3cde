//go:build amd64 && !purego

package x25519

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/kex"
)

//go:generate env GOWORK=off go run -C ../_asm ./x25519

// RequiresIFMA are the processor features that IFMA uses.
const RequiresIFMA = cpu.AVX512F | cpu.AVX512IFMA | cpu.ZMM

// IFMA does eight exchanges at a time, one in each 64-bit lane, on the 52-bit
// multiplier of AVX-512. A batch that does not fill its last eight costs as much
// as one that does. It needs RequiresIFMA.
func IFMA() ciphers.Exchanger { return ifma{} }

type ifma struct{}

// Exchange fulfils ciphers.Exchanger. A part of a batch of up to maxLanes entries
// shares one inversion in the field.
func (ifma) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	w := borrow()
	defer w.giveBack()
	for len(b.Index) > 0 {
		part := b
		part.Index = b.Index[:min(maxLanes, len(b.Index))]
		b.Index = b.Index[len(part.Index):]
		switch op {
		case ciphers.OpGenerate:
			ok += w.generate(part)
		case ciphers.OpEncapsulate:
			ok += w.encapsulate(part)
		default:
			ok += w.derive(part)
		}
	}
	return ok
}

func (w *work) generate(b ciphers.ExchangeBatch) int {
	for lane, i := range b.Index {
		x := &b.Entries[i]
		kex.SeedOrRandom(x.Private, x.Seed)
		w.scalars[lane] = scalar(x.Private)
	}
	w.multiplyBase(len(b.Index))
	for lane, i := range b.Index {
		x := &b.Entries[i]
		w.out(lane, x.Public)
		x.Status = ciphers.StatusOK
	}
	return len(b.Index)
}

func (w *work) derive(b ciphers.ExchangeBatch) int {
	for lane, i := range b.Index {
		x := &b.Entries[i]
		w.scalars[lane] = scalar(x.Private)
		w.setPeer(lane, x.PeerShare())
	}
	w.multiply(len(b.Index))
	return w.secrets(b)
}

func (w *work) encapsulate(b ciphers.ExchangeBatch) int {
	var private [ciphers.X25519PrivateSize]byte
	for lane, i := range b.Index {
		x := &b.Entries[i]
		kex.SeedOrRandom(private[:], x.Seed)
		w.scalars[lane] = scalar(private[:])
		w.setPeer(lane, x.Public)
	}
	clear(private[:])
	w.multiplyBase(len(b.Index))
	for lane, i := range b.Index {
		w.out(lane, b.Entries[i].Ciphertext)
	}
	w.multiply(len(b.Index))
	return w.secrets(b)
}

// secrets writes what multiply left, and refuses shares that left zero.
func (w *work) secrets(b ciphers.ExchangeBatch) (ok int) {
	for lane, i := range b.Index {
		x := &b.Entries[i]
		w.out(lane, x.Secret)
		if zero(x.Secret) {
			x.Fail(ciphers.StatusShare)
			continue
		}
		x.Status = ciphers.StatusOK
		ok++
	}
	return ok
}

// zero reports whether all bytes are, looking at each.
func zero(b []byte) bool {
	var or byte
	for _, v := range b {
		or |= v
	}
	return or == 0
}
