package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// An element is one of the field of p = 2^256 - 2^224 + 2^192 + 2^96 - 1 in
// Montgomery form, times 2^260.
//
// A raw element has signed limbs of up to 62 bits. A loose one is carried: its
// limbs count modulo 2^52, and the highest is whole and below 2^52.
// Multiplications take loose ones, since the multiplier reads 52 bits, and give
// raw ones. The number itself is never negative; program.go keeps its bound.
const limbs = lanes.Limbs

// prime are the limbs of p. Since p is -1 modulo 2^96, the multiple of p that a
// step of Montgomery's reduction adds is the lowest limb itself.
var prime = [limbs]uint64{lanes.Mask52, 1<<44 - 1, 0, 1 << 36, 0xffffffff << 16}

// result is where reduction leaves the product.
func result(b lanes.Bank) []reg.VecPhysical { return b[limbs : 2*limbs] }

// both adds the halves of x·y to limbs k and k+1 of the sum.
func (a asm) both(b lanes.Bank, y operand.Op, x reg.VecPhysical, k int) []lanes.Step {
	return []lanes.Step{
		func() { a.VPMADD52LUQ(y, x, b.Sum(k)) },
		func() { a.VPMADD52HUQ(y, x, b.Sum(k+1)) },
	}
}

// bothBy multiplies by a constant.
func (a asm) bothBy(b lanes.Bank, y uint64, x reg.VecPhysical, k int) []lanes.Step {
	c := a.Constant(y)
	return []lanes.Step{
		func() { a.VPMADD52LUQ_BCST(c, x, b.Sum(k)) },
		func() { a.VPMADD52HUQ_BCST(c, x, b.Sum(k+1)) },
	}
}

// second loads a limb of a multiplication's second operand.
type second func(limb int, to reg.VecPhysical) lanes.Step

func (a asm) from(e lanes.Element) second {
	return func(limb int, to reg.VecPhysical) lanes.Step {
		return func() { a.VMOVDQA64(e.Limb(limb), to) }
	}
}

// same is a constant, one for all lanes.
func (a asm) same(c [limbs]uint64) second {
	return func(limb int, to reg.VecPhysical) lanes.Step {
		m := a.Constant(c[limb])
		return func() { a.VPBROADCASTQ(m, to) }
	}
}

// product leaves x·y/2^260 raw in the bank's result.
func (a asm) product(b lanes.Bank, x lanes.Element, y second) []lanes.Step {
	s := a.begin(b, x)
	for j := range limbs {
		s = append(s, y(j, b.Spare()))
		for i := range limbs {
			s = append(s, a.both(b, b.Spare(), b.Operand(i), i+j)...)
		}
	}
	return append(s, a.reduce(b)...)
}

// square leaves x²/2^260 raw: products of different limbs once, doubled, and
// squares of limbs.
func (a asm) square(b lanes.Bank, x lanes.Element) []lanes.Step {
	s := a.begin(b, x)
	for j := 1; j < limbs; j++ {
		for i := range j {
			s = append(s, a.both(b, b.Operand(j), b.Operand(i), i+j)...)
		}
	}
	for i := 1; i < 2*limbs-1; i++ {
		s = append(s, func() { a.VPADDQ(b.Sum(i), b.Sum(i), b.Sum(i)) })
	}
	for i := range limbs {
		s = append(s, a.both(b, b.Operand(i), b.Operand(i), 2*i)...)
	}
	return append(s, a.reduce(b)...)
}

func (a asm) begin(b lanes.Bank, x lanes.Element) (s []lanes.Step) {
	for i := range limbs {
		s = append(s, func() { a.VMOVDQA64(x.Limb(i), b.Operand(i)) })
	}
	for i := range 2 * limbs {
		s = append(s, func() { a.VPXORQ(b.Sum(i), b.Sum(i), b.Sum(i)) })
	}
	return s
}

// reduce adds to the sum, for each of its five lower limbs m, m·p, which makes
// the limb zero: m·(p+1) is added above it, and what the limb has beyond 52 bits
// is carried.
func (a asm) reduce(b lanes.Bank) (s []lanes.Step) {
	t := b.Spare()
	for i := range limbs {
		m := b.Sum(i)
		s = append(s,
			func() { a.VPSRLQ(operand.Imm(52), m, t) },
			func() { a.VPADDQ(t, b.Sum(i+1), b.Sum(i+1)) })
		s = append(s, a.bothBy(b, prime[1]+1, m, i+1)...)
		s = append(s, a.bothBy(b, prime[3], m, i+3)...)
		s = append(s, a.bothBy(b, prime[4], m, i+4)...)
	}
	return s
}

// fold takes off p as often as the raw number has 2^256, less once, so that what
// remains is positive and below 2^257 and a little.
func (a asm) fold(l []reg.VecPhysical, h, t reg.VecPhysical) []lanes.Step {
	shifted := func(bits uint64, into int, op func(ops ...operand.Op)) []lanes.Step {
		return []lanes.Step{
			func() { a.VPSLLQ(operand.Imm(bits), h, t) },
			func() { op(t, l[into], l[into]) },
		}
	}
	return lanes.Concat([]lanes.Step{
		func() { a.VPSRAQ(operand.Imm(48), l[4], h) },
		func() { a.VPSUBQ_BCST(a.Constant(1), h, h) },
		func() { a.VPSLLQ(operand.Imm(48), h, t) },
		func() { a.VPSUBQ(t, l[4], l[4]) },
		func() { a.VPADDQ(h, l[0], l[0]) },
	}, shifted(44, 1, a.VPSUBQ), shifted(36, 3, a.VPSUBQ), shifted(16, 4, a.VPADDQ))
}
