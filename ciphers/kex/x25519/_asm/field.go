package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An element of the field of p = 2^255 - 19 is 5 limbs of 52 bits, each limb a
// register of 8 lanes, one lane an operation. In memory the limbs follow each
// other, 64 bytes each.
//
// Three forms occur. A raw element is what a multiplication leaves: limbs below
// 2^56. A loose one is carried: its limbs count modulo 2^52, and the highest is
// below 2^49; multiplications take it, since the multiplier reads 52 bits. A
// full one is loose with limbs 0 to 3 below 2^52, so that it is raw too.
const (
	limbs       = 5
	limbBytes   = 64
	elementSize = limbs * limbBytes

	mask52 = 1<<52 - 1
	mask47 = 1<<47 - 1
	fold   = 608 // 2^260 modulo p
	a24    = 121665
)

// What a difference adds, so that it is positive, and what it takes off the
// lowest limb, so that it stays the same modulo p: 2^57 in the highest limb is
// 2^10 times 2^255, and 2^47 once more after the carry is 2^255.
const (
	lift    = 1 << 57
	relift  = 1 << 47
	liftLow = 19<<10 + 19
)

// bank is the half of the registers that one multiplication uses, so that two
// can run into each other.
type bank [16]reg.VecPhysical

var banks = [2]bank{
	{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15},
	{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
}

// sum is the accumulator of a product's limb i, 0 to 9.
func (b bank) sum(i int) reg.VecPhysical { return b[i] }

// operandLimb is a limb of the first operand, 0 to 4; behind it is free space.
func (b bank) operandLimb(i int) reg.VecPhysical { return b[10+i] }

// spare holds one limb of the second operand.
func (b bank) spare() reg.VecPhysical { return b[15] }

// element is where one lies.
type element struct{ operand.Mem }

func (e element) limb(i int) operand.Mem { return e.Offset(i * limbBytes) }

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

func (a asm) clear(r reg.VecPhysical) { a.VPXORQ(r, r, r) }

// low and high add the halves of x·y to sum; y is a register or memory.
func (a asm) low(y operand.Op, x, sum reg.VecPhysical) step {
	return func() { a.VPMADD52LUQ(y, x, sum) }
}

func (a asm) high(y operand.Op, x, sum reg.VecPhysical) step {
	return func() { a.VPMADD52HUQ(y, x, sum) }
}

// lowBy and highBy multiply by a constant.
func (a asm) lowBy(y uint64, x, sum reg.VecPhysical) step {
	k := a.constant(y)
	return func() { a.VPMADD52LUQ_BCST(k, x, sum) }
}

func (a asm) highBy(y uint64, x, sum reg.VecPhysical) step {
	k := a.constant(y)
	return func() { a.VPMADD52HUQ_BCST(k, x, sum) }
}

// second loads a limb of a multiplication's second operand.
type second func(limb int, to reg.VecPhysical) step

func (a asm) from(e element) second {
	return func(limb int, to reg.VecPhysical) step {
		return func() { a.VMOVDQA64(e.limb(limb), to) }
	}
}

// same reads a table entry, one for all lanes.
func (a asm) same(table operand.Mem) second {
	return func(limb int, to reg.VecPhysical) step {
		return func() { a.VPBROADCASTQ(table.Offset(8*limb), to) }
	}
}

// product leaves x·y raw in the first five accumulators of the bank. Both are loose.
func (a asm) product(b bank, x element, y second) (s []step) {
	s = append(s, a.begin(b, x)...)
	for j := range limbs {
		s = append(s, y(j, b.spare()))
		for i := range limbs {
			s = append(s, a.low(b.spare(), b.operandLimb(i), b.sum(i+j)))
		}
		for i := range limbs {
			s = append(s, a.high(b.spare(), b.operandLimb(i), b.sum(i+j+1)))
		}
	}
	return append(s, a.reduce(b)...)
}

// square leaves x² raw: products of different limbs once, doubled, and squares of limbs.
func (a asm) square(b bank, x element) (s []step) {
	s = append(s, a.begin(b, x)...)
	for j := 1; j < limbs; j++ {
		for i := range j {
			s = append(s, a.low(b.operandLimb(j), b.operandLimb(i), b.sum(i+j)),
				a.high(b.operandLimb(j), b.operandLimb(i), b.sum(i+j+1)))
		}
	}
	for i := 1; i < 2*limbs-1; i++ {
		s = append(s, func() { a.VPADDQ(b.sum(i), b.sum(i), b.sum(i)) })
	}
	for i := range limbs {
		s = append(s, a.low(b.operandLimb(i), b.operandLimb(i), b.sum(2*i)),
			a.high(b.operandLimb(i), b.operandLimb(i), b.sum(2*i+1)))
	}
	return append(s, a.reduce(b)...)
}

func (a asm) begin(b bank, x element) (s []step) {
	for i := range limbs {
		s = append(s, func() { a.VMOVDQA64(x.limb(i), b.operandLimb(i)) })
	}
	for i := range 2 * limbs {
		s = append(s, func() { a.clear(b.sum(i)) })
	}
	return s
}

// reduce folds limbs 5 to 9 into 0 to 4. A limb's part above 52 bits is folded
// one place higher; limb 9, the highest halves of the product of two highest
// limbs, has no such part, and what it gives above place 4 is folded again.
func (a asm) reduce(b bank) (s []step) {
	top := b.operandLimb(limbs - 1)
	s = append(s, func() { a.clear(top) })
	for k := range limbs - 1 {
		s = append(s, func() { a.VPSRLQ(operand.Imm(52), b.sum(limbs+k), b.operandLimb(k)) })
	}
	s = append(s, a.highBy(fold, b.sum(9), top))
	for k := range limbs {
		s = append(s, a.lowBy(fold, b.sum(limbs+k), b.sum(k)))
	}
	for k := range limbs - 1 {
		s = append(s, a.highBy(fold, b.sum(limbs+k), b.sum(k+1)),
			a.lowBy(fold, b.operandLimb(k), b.sum(k+1)))
	}
	return append(s, a.lowBy(fold, top, b.sum(0)))
}

// carry makes limbs loose. They may be negative but for the highest.
func (a asm) carry(l []reg.VecPhysical, t reg.VecPhysical) []step {
	s := []step{
		func() { a.VPSRLQ(operand.Imm(47), l[4], t) },
		func() { a.VPANDQ_BCST(a.constant(mask47), l[4], l[4]) },
		a.lowBy(19, t, l[0]),
	}
	return append(s, a.ripple(l, t)...)
}

// ripple carries from limb to limb up to the highest.
func (a asm) ripple(l []reg.VecPhysical, t reg.VecPhysical) (s []step) {
	for k := range limbs - 1 {
		s = append(s,
			func() { a.VPSRAQ(operand.Imm(52), l[k], t) },
			func() { a.VPADDQ(t, l[k+1], l[k+1]) })
	}
	return s
}

// carryLifted is carry for a difference, which may be negative.
func (a asm) carryLifted(l []reg.VecPhysical, t reg.VecPhysical) []step {
	s := []step{
		func() { a.VPADDQ_BCST(a.constant(lift), l[4], l[4]) },
		func() { a.VPSUBQ_BCST(a.constant(liftLow), l[0], l[0]) },
		func() { a.VPSRLQ(operand.Imm(47), l[4], t) },
		a.lowBy(19, t, l[0]),
		func() { a.VPBROADCASTQ(a.constant(mask47), t) },
		func() { a.VPTERNLOGQ_BCST(operand.Imm(0xea), a.constant(relift), t, l[4]) }, // l & t | relift
	}
	return append(s, a.ripple(l, t)...)
}

// mask makes loose limbs full.
func (a asm) mask(l []reg.VecPhysical) (s []step) {
	for k := range limbs - 1 {
		s = append(s, func() { a.VPANDQ_BCST(a.constant(mask52), l[k], l[k]) })
	}
	return s
}

func (a asm) store(l []reg.VecPhysical, to element) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VMOVDQA64(l[k], to.limb(k)) })
	}
	return s
}

func (a asm) load(from element, l []reg.VecPhysical) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VMOVDQA64(from.limb(k), l[k]) })
	}
	return s
}

func (a asm) add(y element, l []reg.VecPhysical) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VPADDQ(y.limb(k), l[k], l[k]) })
	}
	return s
}

func (a asm) subtract(y element, l []reg.VecPhysical) (s []step) {
	for k := range limbs {
		s = append(s, func() { a.VPSUBQ(y.limb(k), l[k], l[k]) })
	}
	return s
}
