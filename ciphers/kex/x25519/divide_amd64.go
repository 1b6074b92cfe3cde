//go:build amd64 && !purego

package x25519

// divide sets x to x/z in the groups of the first n lanes, with one inversion
// for all (Montgomery's trick). Where z is zero, x becomes zero.
func (w *work) divide(n int) {
	last := groups(n) - 1
	for g := range last + 1 {
		tame(&w.x[g], &w.z[g])
		if g == 0 {
			w.chain[0] = w.z[0]
		} else {
			mul(&w.chain[g], &w.chain[g-1], &w.z[g])
		}
	}
	inverse, t := &w.scratch[0], &w.scratch[1]
	*inverse = w.chain[last]
	w.invert(inverse)
	for g := last; g > 0; g-- {
		mul(t, inverse, &w.chain[g-1])
		mul(&w.x[g], &w.x[g], t)
		mul(inverse, inverse, &w.z[g])
	}
	mul(&w.x[0], &w.x[0], inverse)
}

// tame makes both canonical and a z of zero one, with an x of zero.
func tame(x, z *element) {
	for lane := range lanes {
		l, m := x.get(lane), z.get(lane)
		l.reduce()
		m.reduce()
		isZero := m.zeroMask()
		for i := range l {
			l[i] &^= isZero
		}
		m[0] |= isZero & 1
		x.set(lane, l)
		z.set(lane, m)
	}
}

// invert raises e to the power p-2 = 2^255 - 21, by the powers 2^k - 1.
func (w *work) invert(e *element) {
	a, b, c := &w.scratch[1], &w.scratch[2], &w.scratch[3]
	square(a, e, 1)       // 2
	square(b, a, 2)       // 8
	mul(b, b, e)          // 9
	mul(a, a, b)          // 11
	square(c, a, 1)       // 22
	mul(b, b, c)          // 2^5 - 1
	w.power(c, b, 5, b)   // 2^10 - 1
	w.power(e, c, 10, c)  // 2^20 - 1
	w.power(e, e, 20, e)  // 2^40 - 1
	w.power(c, e, 10, c)  // 2^50 - 1
	w.power(e, c, 50, c)  // 2^100 - 1
	w.power(e, e, 100, e) // 2^200 - 1
	w.power(e, e, 50, c)  // 2^250 - 1
	w.power(e, e, 5, a)   // 2^255 - 32 + 11
}

// power sets dst to x, squared n times, times y.
func (w *work) power(dst, x *element, n int, y *element) {
	t := &w.scratch[4]
	square(t, x, n)
	mul(dst, t, y)
}
