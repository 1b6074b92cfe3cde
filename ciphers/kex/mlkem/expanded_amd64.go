//go:build amd64 && !purego

package mlkem

import (
	"crypto/subtle"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
	"github.com/sealburst/sealburst/ciphers/kex/internal/shake"
)

// expanded is what follows from a private key, 64-byte aligned.
type expanded struct {
	a    matrix
	t, s vector // t̂ and ŝ
	seed [ciphers.MLKEM768PrivateSize]byte
	hash [seedBytes]byte // H of the encapsulation key
	live bool
}

// Clear fulfils ciphers.Prepared.
func (k *expanded) Clear() { *k = expanded{} }

// keys finds the expanded keys of a part of a batch in its entries, or expands
// them. Lanes without an entry have the first one's.
func (w *work) keys(b ciphers.ExchangeBatch) (keys [lanes]*expanded) {
	missing := b
	missing.Index = make([]uint8, 0, lanes)
	for _, i := range b.Index {
		if !preparedFor(&b.Entries[i]) {
			missing.Index = append(missing.Index, i)
		}
	}
	if len(missing.Index) > 0 {
		w.expandKeys(missing)
	}
	for lane := range keys {
		keys[lane] = b.Entries[b.Index[0]].Prepared.(*expanded)
	}
	for lane, i := range b.Index {
		keys[lane] = b.Entries[i].Prepared.(*expanded)
	}
	return keys
}

// preparedFor reports whether an entry has its own private key's expanded form.
func preparedFor(x *ciphers.Exchange) bool {
	k, ok := x.Prepared.(*expanded)
	return ok && k.live && subtle.ConstantTimeCompare(k.seed[:], x.Private) == 1
}

// expandKeys is ML-KEM.KeyGen_internal (FIPS 203 algorithm 16) of the private keys
// of a part of a batch. It leaves the expanded form in the entries, and the
// encapsulation keys in the lanes' shares.
func (w *work) expandKeys(b ciphers.ExchangeBatch) {
	var keys [lanes]*expanded
	for lane, i := range b.Index {
		keys[lane] = aligned.New[expanded]()
		copy(keys[lane].seed[:], b.Entries[i].Private)
		copy(w.input[lane][:], keys[lane].seed[:seedBytes])
		w.input[lane][seedBytes] = rank
	}
	w.hash(shake.SHA3x512, seedBytes+1, 2*seedBytes)
	for lane := range lanes {
		copy(w.rho[lane][:seedBytes], w.hashes[lane][:seedBytes])
	}
	n := len(b.Index)
	w.expand(n, func(lane int) *matrix { return &keys[lane].a })
	for i := range rank {
		w.noise(n, byte(i), func(lane int) *poly { return &keys[lane].s[i] })
		w.noise(n, byte(rank+i), func(lane int) *poly { return &w.vectors[lane].e[i] })
	}
	for lane := range n {
		w.multiply(lane, keys[lane])
	}
	w.hash(shake.SHA3x256, ciphers.MLKEM768PublicSize, seedBytes)
	for lane, i := range b.Index {
		keys[lane].hash, keys[lane].live = [seedBytes]byte(w.hashes[lane][:]), true
		b.Entries[i].Prepared = keys[lane]
	}
}

// multiply makes t̂ = Â·ŝ + ê of s and e, and writes the encapsulation key, as what
// is hashed next too.
func (w *work) multiply(lane int, k *expanded) {
	e := &w.vectors[lane].e
	for i := range rank {
		transform(&k.s[i])
		dual(&w.duals[i], &k.s[i])
		transform(&e[i])
	}
	share := w.share[lane][:]
	for i := range rank {
		dot(&k.t[i], &k.a.at[rank*i], &w.duals, polySize)
		addKey(&k.t[i], &e[i])
		encode12(&share[i*polyBytes], &k.t[i])
	}
	copy(share[rank*polyBytes:], w.rho[lane][:seedBytes])
	copy(w.input[lane][:], share)
}
