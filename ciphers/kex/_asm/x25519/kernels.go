package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
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

const bitsOffset = temporaries * lanes.ElementSize

// state finds a field of the Go type of that name.
func at(base reg.Register, field int) lanes.Element {
	return lanes.At(base, field*lanes.ElementSize)
}

// mulKernel multiplies two loose elements; the product is full.
func (a asm) mulKernel() {
	b := lanes.Banks[0]
	a.MulKernel("mul sets dst to x·y, full, of two loose elements.", func(dst, x, y reg.Register) []lanes.Step {
		return lanes.Concat(a.product(b, at(x, 0), a.from(at(y, 0))), a.finish(b), a.Store52(b[:], at(dst, 0)))
	})
}

// squareKernel squares n times.
func (a asm) squareKernel() {
	b := lanes.Banks[0]
	a.SquareKernel("square sets dst to x squared n times, n at least 1, full.", func(dst, x reg.Register) []lanes.Step {
		return lanes.Concat(a.square(b, at(x, 0)), a.finish(b), a.Store52(b[:], at(dst, 0)))
	})
}

// finish makes a raw product full.
func (a asm) finish(b lanes.Bank) []lanes.Step {
	return lanes.Concat(a.carry(b[:], b.Spare()), a.MaskLimbs(b[:]))
}

// nextBit moves the highest bit of every lane's word into K1.
func (a asm) nextBit(s reg.Register) {
	bits := operand.Mem{Base: s, Disp: bitsOffset}
	a.VMOVDQA64(bits, reg.Z31)
	a.VPTESTMQ_BCST(a.Constant(1<<63), reg.Z31, reg.K1)
	a.VPADDQ(reg.Z31, reg.Z31, reg.Z31)
	a.VMOVDQA64(reg.Z31, bits)
}

// blend sets l to other where the lane's bit in K1 is set.
func (a asm) blend(other, l, to []reg.VecPhysical) (s []lanes.Step) {
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
			lanes.Interleave(
				lanes.Concat(a.product(lanes.Banks[0], at(s, diffD), a.from(at(s, sumA))), a.Store52(lanes.Banks[0][:], at(s, prodDA))),
				lanes.Concat(a.product(lanes.Banks[1], at(s, sumC), a.from(at(s, diffB))), a.Store52(lanes.Banks[1][:], at(s, prodCB))))
			lanes.Interleave(
				lanes.Concat(a.product(lanes.Banks[0], at(s, looseAA), a.from(at(s, looseBB))), a.Store52(lanes.Banks[0][:], at(s, x2))),
				lanes.Concat(a.crossSums(s, lanes.Banks[1]), a.doubling(s, lanes.Banks[1])))
			a.crossing(s)
			lanes.Interleave(
				lanes.Concat(a.product(lanes.Banks[0], at(s, x1), a.from(at(s, diffT))), a.Store52(lanes.Banks[0][:], at(s, z3))),
				lanes.Concat(a.product(lanes.Banks[1], at(s, diffE), a.from(at(s, sumF))), a.Store52(lanes.Banks[1][:], at(s, z2))))
		})
}

// sums makes A, B, C and D of the raw coordinates, and picks.
func (a asm) sums(s reg.Register) {
	b, c := lanes.Banks[0], lanes.Banks[1]
	lanes.Interleave(
		a.sum(at(s, x2), at(s, z2), b[:5], b[10]),
		a.sum(at(s, x3), at(s, z3), b[5:10], b[11]),
		a.difference(at(s, x2), at(s, z2), c[:5], c[10]),
		a.difference(at(s, x3), at(s, z3), c[5:10], c[11]))
	lanes.Interleave(
		a.Store52(b[:], at(s, sumA)), a.Store52(b[5:], at(s, sumC)),
		a.Store52(c[:], at(s, diffB)), a.Store52(c[5:], at(s, diffD)),
		lanes.Concat(a.blend(b[5:], b[:], b[10:]), a.Store52(b[10:], at(s, pick0))),
		lanes.Concat(a.blend(c[5:], c[:], c[10:]), a.Store52(c[10:], at(s, pick1))))
}

// sum leaves x + z loose, of raw ones.
func (a asm) sum(x, z lanes.Element, l []reg.VecPhysical, t reg.VecPhysical) []lanes.Step {
	return lanes.Concat(a.Load52(x, l), a.add(z, l), a.carry(l, t))
}

// difference leaves x - z loose, of raw ones.
func (a asm) difference(x, z lanes.Element, l []reg.VecPhysical, t reg.VecPhysical) []lanes.Step {
	return lanes.Concat(a.Load52(x, l), a.subtract(z, l), a.carryLifted(l, t))
}

// squares makes AA and BB, raw and loose.
func (a asm) squares(s reg.Register) {
	each := func(b lanes.Bank, from, raw, loose int) []lanes.Step {
		return lanes.Concat(a.square(b, at(s, from)), a.Store52(b[:], at(s, raw)),
			a.carry(b[:], b.Spare()), a.Store52(b[:], at(s, loose)))
	}
	lanes.Interleave(each(lanes.Banks[0], pick0, rawAA, looseAA), each(lanes.Banks[1], pick1, rawBB, looseBB))
}

// crossSums makes S = DA + CB and T = DA - CB.
func (a asm) crossSums(s reg.Register, b lanes.Bank) []lanes.Step {
	return lanes.Concat(
		a.sum(at(s, prodDA), at(s, prodCB), b[:], b[15]), a.Store52(b[:], at(s, sumS)),
		a.difference(at(s, prodDA), at(s, prodCB), b[5:], b[14]), a.Store52(b[5:], at(s, diffT)))
}

// doubling makes E = AA - BB and F = AA + a24·E.
func (a asm) doubling(s reg.Register, b lanes.Bank) []lanes.Step {
	e, f, top := b[:5], b[5:10], b[10]
	steps := lanes.Concat(
		a.difference(at(s, rawAA), at(s, rawBB), e, b[15]), a.Store52(e, at(s, diffE)),
		a.Load52(at(s, rawAA), f), []lanes.Step{func() { a.clear(top) }, a.highBy(a24, e[4], top)})
	for k := range limbs {
		steps = append(steps, a.lowBy(a24, e[k], f[k]))
	}
	for k := range limbs - 1 {
		steps = append(steps, a.highBy(a24, e[k], f[k+1]))
	}
	return lanes.Concat(steps, []lanes.Step{a.lowBy(fold, top, f[0])}, a.carry(f, b[15]), a.Store52(f, at(s, sumF)))
}

// crossing makes x3 = S² raw and T² loose, the latter in place of T.
func (a asm) crossing(s reg.Register) {
	b, c := lanes.Banks[0], lanes.Banks[1]
	lanes.Interleave(
		lanes.Concat(a.square(b, at(s, sumS)), a.Store52(b[:], at(s, x3))),
		lanes.Concat(a.square(c, at(s, diffT)), a.carry(c[:], c.Spare()), a.Store52(c[:], at(s, diffT))))
}
