//go:build amd64 && !purego

package mlkem

import (
	"crypto/subtle"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"github.com/sealburst/sealburst/ciphers/kex"
	"github.com/sealburst/sealburst/ciphers/kex/internal/shake"
)

//go:generate env GOWORK=off go run -C ../_asm ./mlkem

// RequiresAVX512 are the processor features that AVX512x768 uses.
const RequiresAVX512 = shake.Requires | cpu.AVX512BW | cpu.AVX512VBMI

// AVX512x768 is ML-KEM-768, eight operations at a time: their sponges, which take
// most of the time, lie in the 64-bit lanes of one state; the polynomials follow
// each other. A batch that does not fill its last eight costs the sponges of one
// that does. It needs RequiresAVX512.
func AVX512x768() ciphers.Exchanger { return avx512{} }

type avx512 struct{}

// Exchange fulfils ciphers.Exchanger.
func (avx512) Exchange(op ciphers.Operation, b ciphers.ExchangeBatch) int {
	w := borrow()
	defer w.giveBack()
	return kex.InParts(w, lanes, op, b)
}

// Generate is ML-KEM.KeyGen (FIPS 203 section 7.1).
func (w *work) Generate(b ciphers.ExchangeBatch) int {
	for _, i := range b.Index {
		x := &b.Entries[i]
		kex.SeedOrRandom(x.Private, x.Seed)
	}
	w.expandKeys(b)
	for lane, i := range b.Index {
		x := &b.Entries[i]
		copy(x.Public, w.share[lane][:])
		x.Status = ciphers.StatusOK
	}
	return len(b.Index)
}

// Encapsulate is ML-KEM.Encaps (section 7.2).
func (w *work) Encapsulate(b ciphers.ExchangeBatch) (ok int) {
	var bad [lanes]bool
	for lane, i := range b.Index {
		x := &b.Entries[i]
		bad[lane] = !w.parse(lane, x.Public)
		kex.SeedOrRandom(w.message[lane][:], x.Seed)
	}
	w.hash(shake.SHA3x256, ciphers.MLKEM768PublicSize, seedBytes)
	w.hashMessages(func(lane int) []byte { return w.hashes[lane][:seedBytes] })
	w.expand(len(b.Index), func(lane int) *matrix { return &w.a[lane] })
	w.encrypt(len(b.Index), func(lane int) encryption {
		return encryption{&w.vectors[lane].t, &w.a[lane], b.Entries[b.Index[lane]].Ciphertext}
	})
	for lane, i := range b.Index {
		x := &b.Entries[i]
		if bad[lane] {
			x.Fail(ciphers.StatusShare)
			continue
		}
		copy(x.Secret, w.hashes[lane][:seedBytes])
		x.Status = ciphers.StatusOK
		ok++
	}
	return ok
}

// parse takes an encapsulation key apart, for its hash too, and checks that its
// coefficients are reduced.
func (w *work) parse(lane int, key []byte) bool {
	large := 0
	for i := range rank {
		large |= decode12(&w.vectors[lane].t[i], &key[i*polyBytes])
	}
	copy(w.rho[lane][:seedBytes], key[rank*polyBytes:])
	copy(w.input[lane][:], key)
	return large == 0
}

// hashMessages leaves G of message and key hash: the secret, and what the noise is from.
func (w *work) hashMessages(keyHash func(lane int) []byte) {
	for lane := range lanes {
		copy(w.input[lane][:], w.message[lane][:])
		copy(w.input[lane][seedBytes:], keyHash(lane))
	}
	w.hash(shake.SHA3x512, 2*seedBytes, 2*seedBytes)
}

// Decapsulate is ML-KEM.Decaps (section 7.3). Whether the ciphertext is what
// encryption gives shows in the secret alone.
func (w *work) Decapsulate(b ciphers.ExchangeBatch) int {
	keys := w.keys(b)
	n := len(b.Index)
	w.reject(b, keys[:n])
	for lane, i := range b.Index {
		w.decrypt(w.message[lane][:], b.Entries[i].Ciphertext, &keys[lane].s)
	}
	w.hashMessages(func(lane int) []byte { return keys[lane].hash[:] })
	w.encrypt(n, func(lane int) encryption {
		return encryption{&keys[lane].t, &keys[lane].a, w.share[lane][:ciphers.MLKEM768CiphertextSize]}
	})
	for lane, i := range b.Index {
		x := &b.Entries[i]
		same := subtle.ConstantTimeCompare(w.share[lane][:ciphers.MLKEM768CiphertextSize], x.Ciphertext)
		copy(x.Secret, w.rejection[lane][:])
		subtle.ConstantTimeCopy(same, x.Secret, w.hashes[lane][:seedBytes])
		x.Status = ciphers.StatusOK
	}
	return n
}

// reject leaves J: the secrets of ciphertexts that are not authentic.
func (w *work) reject(b ciphers.ExchangeBatch, keys []*expanded) {
	for lane, i := range b.Index {
		copy(w.input[lane][:], keys[lane].seed[seedBytes:])
		copy(w.input[lane][seedBytes:], b.Entries[i].Ciphertext)
	}
	w.hash(shake.SHAKE256, seedBytes+ciphers.MLKEM768CiphertextSize, seedBytes)
	for lane := range b.Index {
		copy(w.rejection[lane][:], w.hashes[lane][:seedBytes])
	}
}
