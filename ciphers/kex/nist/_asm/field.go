package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An element of the field of p = 2^256 - 2^224 + 2^192 + 2^96 - 1 is 5 limbs of
// 52 bits in Montgomery form, times 2^260. Each limb is a register of 8 lanes,
// one lane an operation. In memory the limbs follow each other, 64 bytes each.
//
// A raw element has signed limbs of up to 62 bits. A loose one is carried: its
// limbs count modulo 2^52, and the highest is whole and below 2^52.
// Multiplications take loose ones, since the multiplier reads 52 bits, and give
// raw ones. The number itself is never negative; program.go keeps its bound.
const (
	limbs       = 5
	limbBytes   = 64
	elementSize = limbs * limbBytes
	mask52      = 1<<52 - 1
)

// prime are the limbs of p. Since p is -1 modulo 2^96, the multiple of p that a
// step of Montgomery's reduction adds is the lowest limb itself.
var prime = [limbs]uint64{mask52, 1<<44 - 1, 0, 1 << 36, 0xffffffff << 16}

// bank is the half of the registers that one operation uses, so that two can run
// into each other.
type bank [16]reg.VecPhysical

var banks = [2]bank{
	{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15},
	{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
}

// sum is the accumulator of a product's limb i, 0 to 9. Reduction leaves the
// result in the upper five.
func (b bank) sum(i int) reg.VecPhysical { return b[i] }

func (b bank) result() []reg.VecPhysical { return b[limbs : 2*limbs] }

// operandLimb is a limb of the first operand, 0 to 4.
func (b bank) operandLimb(i int) reg.VecPhysical { return b[10+i] }

func (b bank) spare() reg.VecPhysical { return b[15] }

// element is where one lies.
type element struct{ operand.Mem }

func (e element) limb(i int) operand.Mem { return e.Offset(i * limbBytes) }

func at(base reg.Register, disp int) element { return element{operand.Mem{Base: base, Disp: disp}} }

// step is one instruction, given to interleave.
type step func()

// interleave emits the steps of all threads in turns.
func interleave(threads ...[]step) {
	for i, left := 0, true; left; i++ {
		left = false
		for _, steps := range threads {
			if i < len(steps) {
				steps[i]()
				left = true
			}
		}
	}
}

func concat(parts ...[]step) (all []step) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// both adds the halves of x·y to limbs k and k+1 of the sum.
func (a asm) both(b bank, y operand.Op, x reg.VecPhysical, k int) []step {
	return []step{
		func() { a.VPMADD52LUQ(y, x, b.sum(k)) },
		func() { a.VPMADD52HUQ(y, x, b.sum(k+1)) },
	}
}

// bothBy multiplies by a constant.
func (a asm) bothBy(b bank, y uint64, x reg.VecPhysical, k int) []step {
	c := a.constant(y)
	return []step{
		func() { a.VPMADD52LUQ_BCST(c, x, b.sum(k)) },
		func() { a.VPMADD52HUQ_BCST(c, x, b.sum(k+1)) },
	}
}

// second loads a limb of a multiplication's second operand.
type second func(limb int, to reg.VecPhysical) step

func (a asm) from(e element) second {
	return func(limb int, to reg.VecPhysical) step {
		return func() { a.VMOVDQA64(e.limb(limb), to) }
	}
}

// same is a constant, one for all lanes.
func (a asm) same(c [limbs]uint64) second {
	return func(limb int, to reg.VecPhysical) step {
		m := a.constant(c[limb])
		return func() { a.VPBROADCASTQ(m, to) }
	}
}

// product leaves x·y/2^260 raw in the bank's result.
func (a asm) product(b bank, x element, y second) []step {
	s := a.begin(b, x)
	for j := range limbs {
		s = append(s, y(j, b.spare()))
		for i := range limbs {
			s = append(s, a.both(b, b.spare(), b.operandLimb(i), i+j)...)
		}
	}
	return append(s, a.reduce(b)...)
}

// square leaves x²/2^260 raw: products of different limbs once, doubled, and
// squares of limbs.
func (a asm) square(b bank, x element) []step {
	s := a.begin(b, x)
	for j := 1; j < limbs; j++ {
		for i := range j {
			s = append(s, a.both(b, b.operandLimb(j), b.operandLimb(i), i+j)...)
		}
	}
	for i := 1; i < 2*limbs-1; i++ {
		s = append(s, func() { a.VPADDQ(b.sum(i), b.sum(i), b.sum(i)) })
	}
	for i := range limbs {
		s = append(s, a.both(b, b.operandLimb(i), b.operandLimb(i), 2*i)...)
	}
	return append(s, a.reduce(b)...)
}

func (a asm) begin(b bank, x element) (s []step) {
	for i := range limbs {
		s = append(s, func() { a.VMOVDQA64(x.limb(i), b.operandLimb(i)) })
	}
	for i := range 2 * limbs {
		s = append(s, func() { a.VPXORQ(b.sum(i), b.sum(i), b.sum(i)) })
	}
	return s
}

// reduce adds to the sum, for each of its five lower limbs m, m·p, which makes
// the limb zero: m·(p+1) is added above it, and what the limb has beyond 52 bits
// is carried.
func (a asm) reduce(b bank) (s []step) {
	t := b.spare()
	for i := range limbs {
		m := b.sum(i)
		s = append(s,
			func() { a.VPSRLQ(operand.Imm(52), m, t) },
			func() { a.VPADDQ(t, b.sum(i+1), b.sum(i+1)) })
		s = append(s, a.bothBy(b, prime[1]+1, m, i+1)...)
		s = append(s, a.bothBy(b, prime[3], m, i+3)...)
		s = append(s, a.bothBy(b, prime[4], m, i+4)...)
	}
	return s
}

// carry makes raw limbs loose.
func (a asm) carry(l []reg.VecPhysical, t reg.VecPhysical) (s []step) {
	for k := range limbs - 1 {
		s = append(s,
			func() { a.VPSRAQ(operand.Imm(52), l[k], t) },
			func() { a.VPADDQ(t, l[k+1], l[k+1]) })
	}
	return s
}

// mask makes loose limbs the only ones of the number.
func (a asm) mask(l []reg.VecPhysical) (s []step) {
	for k := range limbs - 1 {
		s = append(s, func() { a.VPANDQ_BCST(a.constant(mask52), l[k], l[k]) })
	}
	return s
}

// fold takes off p as often as the raw number has 2^256, less once, so that what
// remains is positive and below 2^257 and a little.
func (a asm) fold(l []reg.VecPhysical, h, t reg.VecPhysical) []step {
	shifted := func(bits uint64, into int, op func(ops ...operand.Op)) []step {
		return []step{
			func() { a.VPSLLQ(operand.Imm(bits), h, t) },
			func() { op(t, l[into], l[into]) },
		}
	}
	return concat([]step{
		func() { a.VPSRAQ(operand.Imm(48), l[4], h) },
		func() { a.VPSUBQ_BCST(a.constant(1), h, h) },
		func() { a.VPSLLQ(operand.Imm(48), h, t) },
		func() { a.VPSUBQ(t, l[4], l[4]) },
		func() { a.VPADDQ(h, l[0], l[0]) },
	}, shifted(44, 1, a.VPSUBQ), shifted(36, 3, a.VPSUBQ), shifted(16, 4, a.VPADDQ))
}

func (a asm) load(from element, l []reg.VecPhysical) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VMOVDQA64(from.limb(k), l[k]) })
	}
	return s
}

func (a asm) store(l []reg.VecPhysical, to element) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VMOVDQA64(l[k], to.limb(k)) })
	}
	return s
}
