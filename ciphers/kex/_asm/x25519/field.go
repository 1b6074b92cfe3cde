package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// An element is one of the field of p = 2^255 - 19.
//
// Three forms occur. A raw element is what a multiplication leaves: limbs below
// 2^56. A loose one is carried: its limbs count modulo 2^52, and the highest is
// below 2^49; multiplications take it, since the multiplier reads 52 bits. A
// full one is loose with limbs 0 to 3 below 2^52, so that it is raw too.
const (
	limbs = lanes.Limbs

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

func (a asm) clear(r reg.VecPhysical) { a.VPXORQ(r, r, r) }

// low and high add the halves of x·y to sum; y is a register or memory.
func (a asm) low(y operand.Op, x, sum reg.VecPhysical) lanes.Step {
	return func() { a.VPMADD52LUQ(y, x, sum) }
}

func (a asm) high(y operand.Op, x, sum reg.VecPhysical) lanes.Step {
	return func() { a.VPMADD52HUQ(y, x, sum) }
}

// lowBy and highBy multiply by a constant.
func (a asm) lowBy(y uint64, x, sum reg.VecPhysical) lanes.Step {
	k := a.Constant(y)
	return func() { a.VPMADD52LUQ_BCST(k, x, sum) }
}

func (a asm) highBy(y uint64, x, sum reg.VecPhysical) lanes.Step {
	k := a.Constant(y)
	return func() { a.VPMADD52HUQ_BCST(k, x, sum) }
}

// second loads a limb of a multiplication's second operand.
type second func(limb int, to reg.VecPhysical) lanes.Step

func (a asm) from(e lanes.Element) second {
	return func(limb int, to reg.VecPhysical) lanes.Step {
		return func() { a.VMOVDQA64(e.Limb(limb), to) }
	}
}

// same reads a table entry, one for all lanes.
func (a asm) same(table operand.Mem) second {
	return func(limb int, to reg.VecPhysical) lanes.Step {
		return func() { a.VPBROADCASTQ(table.Offset(8*limb), to) }
	}
}

// product leaves x·y raw in the first five accumulators of the bank. Both are loose.
func (a asm) product(b lanes.Bank, x lanes.Element, y second) (s []lanes.Step) {
	s = append(s, a.begin(b, x)...)
	for j := range limbs {
		s = append(s, y(j, b.Spare()))
		for i := range limbs {
			s = append(s, a.low(b.Spare(), b.Operand(i), b.Sum(i+j)))
		}
		for i := range limbs {
			s = append(s, a.high(b.Spare(), b.Operand(i), b.Sum(i+j+1)))
		}
	}
	return append(s, a.reduce(b)...)
}

// square leaves x² raw: products of different limbs once, doubled, and squares of limbs.
func (a asm) square(b lanes.Bank, x lanes.Element) (s []lanes.Step) {
	s = append(s, a.begin(b, x)...)
	for j := 1; j < limbs; j++ {
		for i := range j {
			s = append(s, a.low(b.Operand(j), b.Operand(i), b.Sum(i+j)),
				a.high(b.Operand(j), b.Operand(i), b.Sum(i+j+1)))
		}
	}
	for i := 1; i < 2*limbs-1; i++ {
		s = append(s, func() { a.VPADDQ(b.Sum(i), b.Sum(i), b.Sum(i)) })
	}
	for i := range limbs {
		s = append(s, a.low(b.Operand(i), b.Operand(i), b.Sum(2*i)),
			a.high(b.Operand(i), b.Operand(i), b.Sum(2*i+1)))
	}
	return append(s, a.reduce(b)...)
}

func (a asm) begin(b lanes.Bank, x lanes.Element) (s []lanes.Step) {
	for i := range limbs {
		s = append(s, func() { a.VMOVDQA64(x.Limb(i), b.Operand(i)) })
	}
	for i := range 2 * limbs {
		s = append(s, func() { a.clear(b.Sum(i)) })
	}
	return s
}

// reduce folds limbs 5 to 9 into 0 to 4. A limb's part above 52 bits is folded
// one place higher; limb 9, the highest halves of the product of two highest
// limbs, has no such part, and what it gives above place 4 is folded again.
func (a asm) reduce(b lanes.Bank) (s []lanes.Step) {
	top := b.Operand(limbs - 1)
	s = append(s, func() { a.clear(top) })
	for k := range limbs - 1 {
		s = append(s, func() { a.VPSRLQ(operand.Imm(52), b.Sum(limbs+k), b.Operand(k)) })
	}
	s = append(s, a.highBy(fold, b.Sum(9), top))
	for k := range limbs {
		s = append(s, a.lowBy(fold, b.Sum(limbs+k), b.Sum(k)))
	}
	for k := range limbs - 1 {
		s = append(s, a.highBy(fold, b.Sum(limbs+k), b.Sum(k+1)),
			a.lowBy(fold, b.Operand(k), b.Sum(k+1)))
	}
	return append(s, a.lowBy(fold, top, b.Sum(0)))
}

// carry makes limbs loose. They may be negative but for the highest.
func (a asm) carry(l []reg.VecPhysical, t reg.VecPhysical) []lanes.Step {
	s := []lanes.Step{
		func() { a.VPSRLQ(operand.Imm(47), l[4], t) },
		func() { a.VPANDQ_BCST(a.Constant(mask47), l[4], l[4]) },
		a.lowBy(19, t, l[0]),
	}
	return append(s, a.Ripple(l, t)...)
}

// carryLifted is carry for a difference, which may be negative.
func (a asm) carryLifted(l []reg.VecPhysical, t reg.VecPhysical) []lanes.Step {
	s := []lanes.Step{
		func() { a.VPADDQ_BCST(a.Constant(lift), l[4], l[4]) },
		func() { a.VPSUBQ_BCST(a.Constant(liftLow), l[0], l[0]) },
		func() { a.VPSRLQ(operand.Imm(47), l[4], t) },
		a.lowBy(19, t, l[0]),
		func() { a.VPBROADCASTQ(a.Constant(mask47), t) },
		func() { a.VPTERNLOGQ_BCST(operand.Imm(0xea), a.Constant(relift), t, l[4]) }, // l & t | relift
	}
	return append(s, a.Ripple(l, t)...)
}

func (a asm) add(y lanes.Element, l []reg.VecPhysical) (s []lanes.Step) {
	for k := range limbs {
		s = append(s, func() { a.VPADDQ(y.Limb(k), l[k], l[k]) })
	}
	return s
}

func (a asm) subtract(y lanes.Element, l []reg.VecPhysical) (s []lanes.Step) {
	for k := range limbs {
		s = append(s, func() { a.VPSUBQ(y.Limb(k), l[k], l[k]) })
	}
	return s
}
