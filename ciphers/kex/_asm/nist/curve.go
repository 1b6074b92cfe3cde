package main

import (
	"math/big"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// Layout of the Go type state: two points in projective coordinates, (X/Z, Y/Z),
// and space for the formulas.
const (
	pointP  = 0
	pointQ  = 3 * lanes.ElementSize
	scratch = 6 * lanes.ElementSize
	slots   = 24 // elements of scratch; Go's type has as many
)

// curveB is b of y² = x³ - 3x + b (SP 800-186 section 3.2.1.3), in Montgomery form.
func curveB() [limbs]uint64 {
	b, _ := new(big.Int).SetString("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b", 16)
	p := new(big.Int)
	for i := limbs - 1; i >= 0; i-- {
		p.Add(p.Lsh(p, 52), new(big.Int).SetUint64(prime[i]))
	}
	b.Mod(b.Lsh(b, 52*limbs), p)
	var l [limbs]uint64
	for i := range l {
		limb := new(big.Int).Rsh(b, uint(52*i))
		l[i] = limb.And(limb, big.NewInt(lanes.Mask52)).Uint64()
	}
	return l
}

func (a asm) program(s reg.Register) *program {
	return &program{asm: a, base: s, first: scratch}
}

// checked refuses a program that needs more scratch than there is.
func (p *program) checked() {
	if p.top > slots {
		panic("more slots than the state has")
	}
}

// doubleKernel doubles P: Renes, Costello and Batina, "Complete addition formulas
// for prime order elliptic curves", 2016, algorithm 6.
func (a asm) doubleKernel() {
	a.Function("double")
	a.SignatureExpr("func(s *byte, n int)")
	a.Doc("double doubles P n times.")
	s := a.Load(a.Param("s"), a.GP64())
	n := a.Load(a.Param("n"), a.GP64())
	a.Label("again")
	p, b := a.program(s), curveB()
	x, y, z := p.in(pointP), p.in(pointP+lanes.ElementSize), p.in(pointP+2*lanes.ElementSize)
	xx, yy, zz := p.mul(x, x), p.mul(y, y), p.mul(z, z)
	xz2 := p.twice(p.mul(x, z))
	xy2 := p.twice(p.mul(x, y))
	yz2 := p.twice(p.mul(y, z))
	u := p.thrice(p.minus(p.scale(zz, b), xz2))
	zz3 := p.thrice(zz)
	w := p.thrice(p.minus(p.minus(p.scale(xz2, b), zz3), xx))
	v := p.minus(p.thrice(xx), zz3)
	less, more := p.minus(yy, u), p.plus(yy, u)
	x3 := p.minus(p.mul(less, xy2), p.mul(yz2, w))
	y3 := p.plus(p.mul(less, more), p.mul(v, w))
	z3 := p.twice(p.twice(p.mul(yz2, yy)))
	p.emit(map[*value]int{x3: pointP, y3: pointP + lanes.ElementSize, z3: pointP + 2*lanes.ElementSize})
	p.checked()
	a.DECQ(n)
	a.JNE(operand.LabelRef("again"))
	a.VZEROUPPER()
	a.RET()
}

// addKernel adds Q to P, whatever they are: algorithm 4 of the same paper.
func (a asm) addKernel() {
	a.Function("add")
	a.SignatureExpr("func(s *byte)")
	a.Doc("add adds Q to P.")
	s := a.Load(a.Param("s"), a.GP64())
	p, b := a.program(s), curveB()
	x1, y1, z1 := p.in(pointP), p.in(pointP+lanes.ElementSize), p.in(pointP+2*lanes.ElementSize)
	x2, y2, z2 := p.in(pointQ), p.in(pointQ+lanes.ElementSize), p.in(pointQ+2*lanes.ElementSize)
	xx, yy, zz := p.mul(x1, x2), p.mul(y1, y2), p.mul(z1, z2)
	cross := func(a1, b1, a2, b2, aa, bb *value) *value {
		return p.minus(p.mul(p.plus(a1, b1), p.plus(a2, b2)), p.plus(aa, bb))
	}
	xy := cross(x1, y1, x2, y2, xx, yy)
	yz := cross(y1, z1, y2, z2, yy, zz)
	xz := cross(x1, z1, x2, z2, xx, zz)
	u := p.thrice(p.minus(xz, p.scale(zz, b)))
	less, more := p.minus(yy, u), p.plus(yy, u)
	zz3 := p.thrice(zz)
	w := p.thrice(p.minus(p.minus(p.scale(xz, b), zz3), xx))
	v := p.minus(p.thrice(xx), zz3)
	x3 := p.minus(p.mul(xy, more), p.mul(yz, w))
	y3 := p.plus(p.mul(less, more), p.mul(v, w))
	z3 := p.plus(p.mul(yz, less), p.mul(xy, v))
	p.emit(map[*value]int{x3: pointP, y3: pointP + lanes.ElementSize, z3: pointP + 2*lanes.ElementSize})
	p.checked()
	a.VZEROUPPER()
	a.RET()
}

// mulKernel multiplies two loose elements.
func (a asm) mulKernel() {
	b := lanes.Banks[0]
	a.MulKernel("mul sets dst to x·y/2^260, masked, of two loose elements.", func(dst, x, y reg.Register) []lanes.Step {
		return lanes.Concat(a.product(b, lanes.At(x, 0), a.from(lanes.At(y, 0))), a.settle(b, lanes.At(dst, 0)))
	})
}

// squareKernel squares n times.
func (a asm) squareKernel() {
	b := lanes.Banks[0]
	a.SquareKernel("square sets dst to x squared n times, n at least 1, masked.", func(dst, x reg.Register) []lanes.Step {
		return lanes.Concat(a.square(b, lanes.At(x, 0)), a.settle(b, lanes.At(dst, 0)))
	})
}

func (a asm) settle(b lanes.Bank, to lanes.Element) []lanes.Step {
	return lanes.Concat(a.Ripple(result(b), b[0]), a.MaskLimbs(result(b)), a.Store52(result(b), to))
}

// selectKernel reads all 16 points of a table and keeps, in each lane, the one
// of the lane's digit.
func (a asm) selectKernel() {
	a.Function("choose")
	a.SignatureExpr("func(dst, table, digits *byte)")
	a.Doc("choose sets dst to the table's point of each lane's digit, 0 to 15.")
	dst := a.Load(a.Param("dst"), a.GP64())
	table := a.Load(a.Param("table"), a.GP64())
	digits := a.Load(a.Param("digits"), a.GP64())
	wanted, entry, one := reg.Z31, reg.Z30, reg.Z29
	a.VMOVDQU64(operand.Mem{Base: digits}, wanted)
	a.VPXORQ(entry, entry, entry)
	a.VPBROADCASTQ(a.Constant(1), one)
	all := append(lanes.Banks[0][:15:15], []reg.VecPhysical{}...)
	n := a.GP64()
	a.MOVQ(operand.U32(16), n)
	a.Label("entry")
	a.VPCMPEQQ(entry, wanted, reg.K1)
	for i, r := range all {
		a.VMOVDQA64(operand.Mem{Base: table, Disp: i * lanes.LimbBytes}, reg.K1, r)
	}
	a.VPADDQ(one, entry, entry)
	a.ADDQ(operand.U32(3*lanes.ElementSize), table)
	a.DECQ(n)
	a.JNE(operand.LabelRef("entry"))
	for i, r := range all {
		a.VMOVDQA64(r, operand.Mem{Base: dst, Disp: i * lanes.LimbBytes})
	}
	a.VZEROUPPER()
	a.RET()
}
