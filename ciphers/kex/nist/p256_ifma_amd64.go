//go:build amd64 && !purego

package nist

import (
	"crypto/ecdh"
	"math/bits"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

//go:generate env GOWORK=off go run -C ../_asm ./nist

// RequiresIFMA are the processor features that P256IFMA uses.
const RequiresIFMA = cpu.AVX512F | cpu.AVX512IFMA | cpu.ZMM

// P256IFMA derives eight secrets at a time, one in each 64-bit lane, on the
// 52-bit multiplier of AVX-512. A batch that does not fill its last eight costs
// as much as one that does. Key pairs it makes one at a time by crypto/ecdh,
// which has a table for them. It needs RequiresIFMA.
func P256IFMA() ciphers.Exchanger { return p256IFMA{P256()} }

type p256IFMA struct{ standard ciphers.Exchanger }

// Exchange fulfils ciphers.Exchanger. A part of a batch of up to maxLanes entries
// shares one inversion in the field.
func (p p256IFMA) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) (ok int) {
	if op == ciphers.OpGenerate {
		return p.standard.Exchange(op, b)
	}
	w := borrow()
	defer w.giveBack()
	for len(b.Index) > 0 {
		part := b
		part.Index = b.Index[:min(maxLanes, len(b.Index))]
		b.Index = b.Index[len(part.Index):]
		if op == ciphers.OpEncapsulate {
			ok += p.encapsulate(w, part)
		} else {
			ok += derive(w, part)
		}
	}
	return ok
}

func derive(w *work, b ciphers.ExchangeBatch) int {
	var entries [maxLanes]uint8
	n := 0
	for _, i := range b.Index {
		x := &b.Entries[i]
		if st := check(x.Private, x.PeerShare()); st != ciphers.StatusOK {
			x.Fail(st)
			continue
		}
		w.setLane(n, x.Private, x.PeerShare())
		entries[n] = i
		n++
	}
	return w.secrets(b.Entries, entries[:n])
}

// encapsulate makes key pairs by the library and derives with them.
func (p p256IFMA) encapsulate(w *work, b ciphers.ExchangeBatch) int {
	var entries [maxLanes]uint8
	n := 0
	for at, i := range b.Index {
		x := &b.Entries[i]
		pair := []ciphers.Exchange{{
			Group: ciphers.P256, Operation: ciphers.OpGenerate,
			Private: w.privates[at][:], Public: x.Ciphertext, Seed: x.Seed,
		}}
		p.standard.Exchange(ciphers.OpGenerate, ciphers.ExchangeBatch{Entries: pair, Index: ciphers.Identity(1)})
		st := pair[0].Status
		if st == ciphers.StatusOK {
			pair[0].Prepared.Clear()
			st = check(pair[0].Private, x.Public)
		}
		if st != ciphers.StatusOK {
			x.Fail(st)
			continue
		}
		w.setLane(n, pair[0].Private, x.Public)
		entries[n] = i
		n++
	}
	return w.secrets(b.Entries, entries[:n])
}

// secrets multiplies and writes what the lanes' entries share.
func (w *work) secrets(entries []ciphers.Exchange, index []uint8) int {
	if len(index) == 0 {
		return 0
	}
	w.multiply(len(index))
	for lane, i := range index {
		w.out(lane, entries[i].Secret)
		entries[i].Status = ciphers.StatusOK
	}
	return len(index)
}

// check refuses private keys outside 1 to the order less one, and shares that
// are no points on the curve.
func check(private, share []byte) ciphers.Status {
	if !inRange(words(private)) {
		return ciphers.StatusPrivate
	}
	if _, err := ecdh.P256().NewPublicKey(share); err != nil {
		return ciphers.StatusShare
	}
	return ciphers.StatusOK
}

// order is that of the base point (SP 800-186 section 3.2.1.3), lowest word first.
var order = [4]uint64{0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000}

// inRange reports whether k is at least 1 and below the order, in constant time.
func inRange(k [4]uint64) bool {
	var below, or uint64
	for i := range k {
		_, below = bits.Sub64(k[i], order[i], below)
		or |= k[i]
	}
	return below&((or|-or)>>63) == 1
}
