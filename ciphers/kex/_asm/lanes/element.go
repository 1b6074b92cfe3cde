package lanes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An element of a field of some 256 bits is 5 limbs of 52 bits, each limb a
// register of 8 lanes, one lane an operation. In memory the limbs follow each
// other, 64 bytes each. Limbs is for those fields alone.
const (
	Limbs       = 5
	LimbBytes   = 64
	ElementSize = Limbs * LimbBytes
	Mask52      = 1<<52 - 1
)

// Element is where one lies.
type Element struct{ operand.Mem }

// At is the element at so many bytes behind a register.
func At(base reg.Register, disp int) Element { return Element{operand.Mem{Base: base, Disp: disp}} }

// Limb is one of its limbs, from the lowest.
func (e Element) Limb(i int) operand.Mem { return e.Offset(i * LimbBytes) }

// Bank is the half of the registers that one multiplication uses, so that two can
// run into each other.
type Bank [16]reg.VecPhysical

// Banks are both halves.
var Banks = [2]Bank{
	{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15},
	{reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
}

// Z is a register by its number, 0 to 31.
func Z(i int) reg.VecPhysical { return Banks[i/16][i%16] }

// Sum is the accumulator of a product's limb i, 0 to 9.
func (b Bank) Sum(i int) reg.VecPhysical { return b[i] }

// Operand is a limb of the first operand, 0 to 4; behind it is free space.
func (b Bank) Operand(i int) reg.VecPhysical { return b[2*Limbs+i] }

// Spare holds one limb of the second operand.
func (b Bank) Spare() reg.VecPhysical { return b[15] }

// Step is one instruction, given to Interleave.
type Step func()

// Interleave emits the steps of all threads in turns.
func Interleave(threads ...[]Step) {
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

// Concat puts threads one after the other.
func Concat(parts ...[]Step) (all []Step) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// Load52 fills limbs from an element.
func (f File) Load52(from Element, l []reg.VecPhysical) (s []Step) {
	for k := range Limbs {
		s = append(s, func() { f.VMOVDQA64(from.Limb(k), l[k]) })
	}
	return s
}

// Store52 writes limbs into an element.
func (f File) Store52(l []reg.VecPhysical, to Element) (s []Step) {
	for k := range Limbs {
		s = append(s, func() { f.VMOVDQA64(l[k], to.Limb(k)) })
	}
	return s
}

// MaskLimbs keeps 52 bits of the limbs but the highest.
func (f File) MaskLimbs(l []reg.VecPhysical) (s []Step) {
	for k := range Limbs - 1 {
		s = append(s, func() { f.VPANDQ_BCST(f.Constant(Mask52), l[k], l[k]) })
	}
	return s
}

// Ripple carries from limb to limb up to the highest; limbs may be negative.
func (f File) Ripple(l []reg.VecPhysical, t reg.VecPhysical) (s []Step) {
	for k := range Limbs - 1 {
		s = append(s,
			func() { f.VPSRAQ(operand.Imm(52), l[k], t) },
			func() { f.VPADDQ(t, l[k+1], l[k+1]) })
	}
	return s
}

// SquareKernel squares n times. It is made of the body of one squaring, a kernel named square.
func (f File) SquareKernel(doc string, body func(dst, x reg.Register) []Step) {
	f.Function("square")
	f.SignatureExpr("func(dst, x *byte, n int)")
	f.Doc(doc)
	dst := f.Load(f.Param("dst"), f.GP64())
	x := f.Load(f.Param("x"), f.GP64())
	n := f.Load(f.Param("n"), f.GP64())
	f.Label("again")
	Interleave(body(dst, x))
	f.MOVQ(dst, x)
	f.DECQ(n)
	f.JNE(operand.LabelRef("again"))
	f.VZEROUPPER()
	f.RET()
}

// MulKernel is made of the body of one multiplication, a kernel named mul.
func (f File) MulKernel(doc string, body func(dst, x, y reg.Register) []Step) {
	f.Function("mul")
	f.SignatureExpr("func(dst, x, y *byte)")
	f.Doc(doc)
	dst := f.Load(f.Param("dst"), f.GP64())
	x := f.Load(f.Param("x"), f.GP64())
	y := f.Load(f.Param("y"), f.GP64())
	Interleave(body(dst, x, y))
	f.VZEROUPPER()
	f.RET()
}
