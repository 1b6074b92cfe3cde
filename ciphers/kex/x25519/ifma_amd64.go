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
func (ifma) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	w := borrow()
	defer w.giveBack()
	return kex.InParts(w, maxLanes, op, b)
}

// Generate makes key pairs.
func (w *work) Generate(b ciphers.ExchangeBatch) int {
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

// Decapsulate derives secrets, from ciphertexts that are shares too.
func (w *work) Decapsulate(b ciphers.ExchangeBatch) int {
	for lane, i := range b.Index {
		x := &b.Entries[i]
		w.scalars[lane] = scalar(x.Private)
		w.setPeer(lane, x.PeerShare())
	}
	w.multiply(len(b.Index))
	return w.secrets(b)
}

// Encapsulate makes key pairs whose shares are the ciphertexts, and derives with them.
func (w *work) Encapsulate(b ciphers.ExchangeBatch) int {
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
