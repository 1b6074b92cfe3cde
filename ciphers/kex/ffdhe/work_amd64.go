//go:build amd64 && !purego

package ffdhe

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

const window = 4 // bits of an exponent that one multiplication takes

// work is the space that eight exponentiations take, 64-byte aligned.
type work struct {
	table            [16]number // powers of the bases
	p1, base, sum, m number
	exponents        [lanes][ciphers.FFDHE2048PrivateSize]byte
}

var works = sync.Pool{New: func() any { return aligned.New[work]() }}

func borrow() *work { return works.Get().(*work) }

// giveBack zeroes all secrets.
func (w *work) giveBack() {
	*w = work{}
	works.Put(w)
}

// power sets sum to the bases to the power of the exponents, modulo the prime,
// canonical.
func (w *work) power(f *field) {
	w.p1.setAll(&f.p1)
	w.makeTable(f)
	const digits = (bits2048 + window - 1) / window
	w.choose(&w.sum, digits-1)
	for digit := digits - 2; digit >= 0; digit-- {
		for range window {
			multiply(&w.sum, &w.sum, &w.sum, &w.m, &w.p1)
		}
		w.choose(&w.base, digit)
		multiply(&w.sum, &w.sum, &w.base, &w.m, &w.p1)
	}
	w.base.setAll(&limbs{1})
	multiply(&w.sum, &w.sum, &w.base, &w.m, &w.p1)
	for lane := range lanes {
		l := w.sum.get(lane)
		l.reduce(&f.p)
		w.sum.set(lane, &l)
	}
}

// makeTable fills the table with the powers 0 to 15 of the bases, in Montgomery form.
func (w *work) makeTable(f *field) {
	w.sum.setAll(&f.square)
	multiply(&w.table[1], &w.base, &w.sum, &w.m, &w.p1)
	w.base.setAll(&limbs{1})
	multiply(&w.table[0], &w.base, &w.sum, &w.m, &w.p1)
	for i := 2; i < len(w.table); i++ {
		multiply(&w.table[i], &w.table[i-1], &w.table[1], &w.m, &w.p1)
	}
}

// choose sets to to the power that each lane's exponent has at a digit.
func (w *work) choose(to *number, digit int) {
	var digits [lanes]uint64
	for lane := range lanes {
		e := &w.exponents[lane]
		digits[lane] = uint64(e[len(e)-1-digit/2] >> (digit % 2 * window) & 15)
	}
	choose(to, &w.table, &digits)
}
