package main

import (
	"math/big"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Layout of the Go type state: two points in projective coordinates, (X/Z, Y/Z),
// and space for the formulas.
const (
	pointP  = 0
	pointQ  = 3 * elementSize
	scratch = 6 * elementSize
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
		l[i] = limb.And(limb, big.NewInt(mask52)).Uint64()
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
	x, y, z := p.in(pointP), p.in(pointP+elementSize), p.in(pointP+2*elementSize)
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
	p.emit(map[*value]int{x3: pointP, y3: pointP + elementSize, z3: pointP + 2*elementSize})
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
	x1, y1, z1 := p.in(pointP), p.in(pointP+elementSize), p.in(pointP+2*elementSize)
	x2, y2, z2 := p.in(pointQ), p.in(pointQ+elementSize), p.in(pointQ+2*elementSize)
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
	p.emit(map[*value]int{x3: pointP, y3: pointP + elementSize, z3: pointP + 2*elementSize})
	p.checked()
	a.VZEROUPPER()
	a.RET()
}

// mulKernel multiplies two loose elements.
func (a asm) mulKernel() {
	a.Function("mul")
	a.SignatureExpr("func(dst, x, y *byte)")
	a.Doc("mul sets dst to x·y/2^260, masked, of two loose elements.")
	dst := a.Load(a.Param("dst"), a.GP64())
	x := a.Load(a.Param("x"), a.GP64())
	y := a.Load(a.Param("y"), a.GP64())
	b := banks[0]
	interleave(concat(a.product(b, at(x, 0), a.from(at(y, 0))), a.settle(b, at(dst, 0))))
	a.VZEROUPPER()
	a.RET()
}

func (a asm) settle(b bank, to element) []step {
	return concat(a.carry(b.result(), b[0]), a.mask(b.result()), a.store(b.result(), to))
}

// squareKernel squares n times.
func (a asm) squareKernel() {
	a.Function("square")
	a.SignatureExpr("func(dst, x *byte, n int)")
	a.Doc("square sets dst to x squared n times, n at least 1, masked.")
	dst := a.Load(a.Param("dst"), a.GP64())
	x := a.Load(a.Param("x"), a.GP64())
	n := a.Load(a.Param("n"), a.GP64())
	a.Label("again")
	interleave(concat(a.square(banks[0], at(x, 0)), a.settle(banks[0], at(dst, 0))))
	a.MOVQ(dst, x)
	a.DECQ(n)
	a.JNE(operand.LabelRef("again"))
	a.VZEROUPPER()
	a.RET()
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
	a.VPBROADCASTQ(a.constant(1), one)
	all := append(banks[0][:15:15], []reg.VecPhysical{}...)
	n := a.GP64()
	a.MOVQ(operand.U32(16), n)
	a.Label("entry")
	a.VPCMPEQQ(entry, wanted, reg.K1)
	for i, r := range all {
		a.VMOVDQA64(operand.Mem{Base: table, Disp: i * limbBytes}, reg.K1, r)
	}
	a.VPADDQ(one, entry, entry)
	a.ADDQ(operand.U32(3*elementSize), table)
	a.DECQ(n)
	a.JNE(operand.LabelRef("entry"))
	for i, r := range all {
		a.VMOVDQA64(r, operand.Mem{Base: dst, Disp: i * limbBytes})
	}
	a.VZEROUPPER()
	a.RET()
}
