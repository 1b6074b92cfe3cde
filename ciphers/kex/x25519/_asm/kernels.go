package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in the Go type state, in elements; the bits of the scalars follow.
const (
	x1 = iota
	x2
	z2
	x3
	z3
	sumA  // x2 + z2, loose
	diffB // x2 - z2
	sumC  // x3 + z3
	diffD // x3 - z3
	pick0 // the one of A and C to be squared
	pick1 // the one of B and D
	rawAA
	rawBB
	looseAA
	looseBB
	prodDA
	prodCB
	diffE
	sumF
	sumS
	diffT
	temporaries
)

const bitsOffset = temporaries * elementSize

// state finds a field of the Go type of that name.
func at(base reg.Register, field int) element {
	return element{operand.Mem{Base: base, Disp: field * elementSize}}
}

// mulKernel multiplies two loose elements; the product is full.
func (a asm) mulKernel() {
	a.Function("mul")
	a.SignatureExpr("func(dst, x, y *byte)")
	a.Doc("mul sets dst to x·y, full, of two loose elements.")
	dst := a.Load(a.Param("dst"), a.GP64())
	x := a.Load(a.Param("x"), a.GP64())
	y := a.Load(a.Param("y"), a.GP64())
	b := banks[0]
	interleave(concat(
		a.product(b, at(x, 0), a.from(at(y, 0))),
		a.finish(b), a.store(b[:], at(dst, 0))))
	a.VZEROUPPER()
	a.RET()
}

// finish makes a raw product full.
func (a asm) finish(b bank) []step { return concat(a.carry(b[:], b.spare()), a.mask(b[:])) }

// squareKernel squares n times.
func (a asm) squareKernel() {
	a.Function("square")
	a.SignatureExpr("func(dst, x *byte, n int)")
	a.Doc("square sets dst to x squared n times, n at least 1, full.")
	dst := a.Load(a.Param("dst"), a.GP64())
	x := a.Load(a.Param("x"), a.GP64())
	n := a.Load(a.Param("n"), a.GP64())
	b := banks[0]
	a.Label("again")
	interleave(concat(a.square(b, at(x, 0)), a.finish(b), a.store(b[:], at(dst, 0))))
	a.MOVQ(dst, x)
	a.DECQ(n)
	a.JNE(operand.LabelRef("again"))
	a.VZEROUPPER()
	a.RET()
}

// nextBit moves the highest bit of every lane's word into K1.
func (a asm) nextBit(s reg.Register) {
	bits := operand.Mem{Base: s, Disp: bitsOffset}
	a.VMOVDQA64(bits, reg.Z31)
	a.VPTESTMQ_BCST(a.constant(1<<63), reg.Z31, reg.K1)
	a.VPADDQ(reg.Z31, reg.Z31, reg.Z31)
	a.VMOVDQA64(reg.Z31, bits)
}

// blend sets l to other where the lane's bit in K1 is set.
func (a asm) blend(other, l, to []reg.VecPhysical) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VPBLENDMQ(other[k], l[k], reg.K1, to[k]) })
	}
	return s
}

// loop wraps the body of a kernel that takes a state and a number of steps.
func (a asm) loop(name, doc, signature string, body func(s reg.Register)) {
	a.Function(name)
	a.SignatureExpr(signature)
	a.Doc(doc)
	s := a.Load(a.Param("s"), a.GP64())
	n := a.Load(a.Param("steps"), a.GP64())
	a.Label("next")
	body(s)
	a.DECQ(n)
	a.JNE(operand.LabelRef("next"))
	a.VZEROUPPER()
	a.RET()
}

// ladderKernel is the Montgomery ladder of RFC 7748 section 5. Instead of
// swapping the two points it picks the sum and the difference to be squared: the
// cross products are the same either way but for a sign that squaring removes.
func (a asm) ladderKernel() {
	a.loop("ladder", "ladder does that many steps of the ladder; s.bits says at each whether to swap.",
		"func(s *byte, steps int)", func(s reg.Register) {
			a.nextBit(s)
			a.sums(s)
			a.squares(s)
			interleave(
				concat(a.product(banks[0], at(s, diffD), a.from(at(s, sumA))), a.store(banks[0][:], at(s, prodDA))),
				concat(a.product(banks[1], at(s, sumC), a.from(at(s, diffB))), a.store(banks[1][:], at(s, prodCB))))
			interleave(
				concat(a.product(banks[0], at(s, looseAA), a.from(at(s, looseBB))), a.store(banks[0][:], at(s, x2))),
				concat(a.crossSums(s, banks[1]), a.doubling(s, banks[1])))
			a.crossing(s)
			interleave(
				concat(a.product(banks[0], at(s, x1), a.from(at(s, diffT))), a.store(banks[0][:], at(s, z3))),
				concat(a.product(banks[1], at(s, diffE), a.from(at(s, sumF))), a.store(banks[1][:], at(s, z2))))
		})
}

// sums makes A, B, C and D of the raw coordinates, and picks.
func (a asm) sums(s reg.Register) {
	b, c := banks[0], banks[1]
	interleave(
		a.sum(at(s, x2), at(s, z2), b[:5], b[10]),
		a.sum(at(s, x3), at(s, z3), b[5:10], b[11]),
		a.difference(at(s, x2), at(s, z2), c[:5], c[10]),
		a.difference(at(s, x3), at(s, z3), c[5:10], c[11]))
	interleave(
		a.store(b[:], at(s, sumA)), a.store(b[5:], at(s, sumC)),
		a.store(c[:], at(s, diffB)), a.store(c[5:], at(s, diffD)),
		concat(a.blend(b[5:], b[:], b[10:]), a.store(b[10:], at(s, pick0))),
		concat(a.blend(c[5:], c[:], c[10:]), a.store(c[10:], at(s, pick1))))
}

// sum leaves x + z loose, of raw ones.
func (a asm) sum(x, z element, l []reg.VecPhysical, t reg.VecPhysical) []step {
	return concat(a.load(x, l), a.add(z, l), a.carry(l, t))
}

// difference leaves x - z loose, of raw ones.
func (a asm) difference(x, z element, l []reg.VecPhysical, t reg.VecPhysical) []step {
	return concat(a.load(x, l), a.subtract(z, l), a.carryLifted(l, t))
}

// squares makes AA and BB, raw and loose.
func (a asm) squares(s reg.Register) {
	each := func(b bank, from, raw, loose int) []step {
		return concat(a.square(b, at(s, from)), a.store(b[:], at(s, raw)),
			a.carry(b[:], b.spare()), a.store(b[:], at(s, loose)))
	}
	interleave(each(banks[0], pick0, rawAA, looseAA), each(banks[1], pick1, rawBB, looseBB))
}

// crossSums makes S = DA + CB and T = DA - CB.
func (a asm) crossSums(s reg.Register, b bank) []step {
	return concat(
		a.sum(at(s, prodDA), at(s, prodCB), b[:], b[15]), a.store(b[:], at(s, sumS)),
		a.difference(at(s, prodDA), at(s, prodCB), b[5:], b[14]), a.store(b[5:], at(s, diffT)))
}

// doubling makes E = AA - BB and F = AA + a24·E.
func (a asm) doubling(s reg.Register, b bank) []step {
	e, f, top := b[:5], b[5:10], b[10]
	steps := concat(
		a.difference(at(s, rawAA), at(s, rawBB), e, b[15]), a.store(e, at(s, diffE)),
		a.load(at(s, rawAA), f), []step{func() { a.clear(top) }, a.highBy(a24, e[4], top)})
	for k := range limbs {
		steps = append(steps, a.lowBy(a24, e[k], f[k]))
	}
	for k := range limbs - 1 {
		steps = append(steps, a.highBy(a24, e[k], f[k+1]))
	}
	return concat(steps, []step{a.lowBy(fold, top, f[0])}, a.carry(f, b[15]), a.store(f, at(s, sumF)))
}

// crossing makes x3 = S² raw and T² loose, the latter in place of T.
func (a asm) crossing(s reg.Register) {
	b, c := banks[0], banks[1]
	interleave(
		concat(a.square(b, at(s, sumS)), a.store(b[:], at(s, x3))),
		concat(a.square(c, at(s, diffT)), a.carry(c[:], c.spare()), a.store(c[:], at(s, diffT))))
}
