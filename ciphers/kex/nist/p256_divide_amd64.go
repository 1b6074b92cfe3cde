//go:build amd64 && !purego

package nist

// divide sets x to x/z, out of Montgomery form and canonical, in the groups up to
// last, with one inversion for all (Montgomery's trick). No z is zero.
func (w *work) divide(last int) {
	w.chain[0] = w.z[0]
	for g := 1; g <= last; g++ {
		mul(&w.chain[g], &w.chain[g-1], &w.z[g])
	}
	inverse, t, one := &w.scratch[0], &w.scratch[1], &w.scratch[2]
	*inverse = w.chain[last]
	w.invert(inverse)
	one.setAll(&limbs{1})
	for g := last; g >= 0; g-- {
		*t = *inverse
		if g > 0 {
			mul(t, inverse, &w.chain[g-1])
			mul(inverse, inverse, &w.z[g])
		}
		mul(t, &w.x[g], t)
		mul(&w.x[g], t, one)
		canonical(&w.x[g])
	}
}

func canonical(e *element) {
	for lane := range lanes {
		l := e.get(lane)
		l.reduce()
		e.set(lane, l)
	}
}

// invert raises e to the power p-2, which is ffffffff 00000001 00000000 00000000
// 00000000 ffffffff ffffffff fffffffd, by the powers 2^k - 1.
func (w *work) invert(e *element) {
	z, ones2, ones4, ones8, ones16, ones32, ones30 := &w.scratch[1], &w.scratch[2], &w.scratch[3],
		&w.scratch[4], &w.scratch[5], &w.scratch[6], &w.scratch[7]
	*z = *e
	w.power(ones2, z, 1, z)
	w.power(ones4, ones2, 2, ones2)
	w.power(ones8, ones4, 4, ones4)
	w.power(ones16, ones8, 8, ones8)
	w.power(ones32, ones16, 16, ones16)
	w.power(ones30, ones16, 8, ones8)
	w.power(ones30, ones30, 4, ones4)
	w.power(ones30, ones30, 2, ones2)
	w.power(e, ones32, 32, z)
	w.power(e, e, 128, ones32)
	w.power(e, e, 32, ones32)
	w.power(e, e, 30, ones30)
	w.power(e, e, 2, z)
}

// power sets dst to x, squared n times, times y.
func (w *work) power(dst, x *element, n int, y *element) {
	t := &w.squares
	square(t, x, n)
	mul(dst, t, y)
}
