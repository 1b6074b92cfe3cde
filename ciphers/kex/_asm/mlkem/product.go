package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// A dual is a polynomial b of the transformed domain as a factor of products, two
// polynomials long: b0 and gamma·b1 of each pair of coefficients, and then b1 and
// b0, so that the product of a pair (FIPS 203 algorithm 12) is two sums of two
// products of neighbours.

// gammas multiply b1 by gamma and b0 by 1, register by register.
func gammas() (v []int) {
	for i := range registers * perRegister / 2 {
		v = append(v, mont(1), mont(power(2*reversed(i)+1)))
	}
	return v
}

func (a asm) dualKernel() {
	p := a.kernel("dual", "makes a factor of products of a reduced polynomial.", "dst", "p")
	b, x, swapped := a.newBarrett(reducer), lanes.Z(0), lanes.Z(1)
	f := a.factors("gamma", gammas())
	for i := range registers {
		a.VMOVDQA64(part(p[1], i), x)
		a.VPROLD(operand.Imm(16), x, swapped)
		a.times(x, f.part(i), b.q, scratch[0])
		a.VMOVDQA64(x, part(p[0], i))
		a.VMOVDQA64(swapped, part(p[0], registers+i))
	}
	a.end()
}

// dotKernel sums three products, whose pairs of coefficients stay below 2^27, and
// divides by 2^16 modulo q: within 0.81q for factors within q.
func (a asm) dotKernel() {
	a.begin("dot", "is the sum of three products over 2^16, within 0.81q: of polynomials within q, that many bytes apart, and duals.",
		", stride int", "dst", "a", "duals")
	p := a.pointers("dst", "a", "duals")
	stride := a.GP64()
	a.Load(a.Param("stride"), stride)
	a.all32(q, dotQ)
	a.all32(qInverse, dotInverse)
	from := [rank]reg.Register{p[1], a.GP64(), a.GP64()}
	a.LEAQ(operand.Mem{Base: p[1], Index: stride, Scale: 1}, from[1])
	a.LEAQ(operand.Mem{Base: p[1], Index: stride, Scale: 2}, from[2])
	for i := range registers {
		a.dotRegister(i, from, p[2])
		a.VMOVDQA64(lanes.Z(1), part(p[0], i))
	}
	a.end()
}

var dotQ, dotInverse = lanes.Z(31), lanes.Z(30)

// dotRegister leaves a register of the sum in Z1.
func (a asm) dotRegister(i int, from [rank]reg.Register, duals reg.Register) {
	sums, x, t := [2]reg.VecPhysical{lanes.Z(0), lanes.Z(1)}, lanes.Z(2), lanes.Z(3)
	for j := range rank {
		a.VMOVDQA64(part(from[j], i), x)
		for half, sum := range sums {
			y := part(duals, registers*(2*j+half)+i)
			if j == 0 {
				a.VPMADDWD(y, x, sum)
				continue
			}
			a.VPMADDWD(y, x, t)
			a.VPADDD(t, sum, sum)
		}
	}
	for _, sum := range sums {
		a.clearLow(sum, t)
	}
	a.VPSRLD(operand.Imm(16), sums[0], sums[0])
	a.VPORD(sums[0], sums[1], sums[1])
}

// clearLow takes off a 32-bit number the multiple of q that makes its lower half
// zero; the upper half is the quotient by 2^16 modulo q.
func (a asm) clearLow(x, t reg.VecPhysical) {
	a.VPMULLW(dotInverse, x, t) // in the lower half, and zero in the upper
	a.VPMADDWD(dotQ, t, t)
	a.VPSUBD(t, x, x)
}

// addKeyKernel is the last step of key generation: t·2^16 brings back what the
// product has lost.
func (a asm) addKeyKernel() {
	p := a.kernel("addKey", "sets t to 2^16·t + e, reduced, of t from dot and e within 3q.", "t", "e")
	b, x := a.newBarrett(reducer), lanes.Z(0)
	square := a.same(mont(mont(1)), zeta[0], zeta[1])
	for i := range registers {
		a.VMOVDQA64(part(p[0], i), x)
		a.times(x, square, b.q, scratch[0])
		a.VPADDW(part(p[1], i), x, x)
		a.reduce(x, b)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.end()
}
