package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reduce carries h, so that its limbs have no bits that they should not, and takes 2^130-5
// away if that leaves something. One chain is enough: only if limb 1 was too large does limb 2
// get a carry, and then limb 1 is small enough for another.
func (p poly) reduce() {
	p.chain(p.h)
	minus := p.first
	five := p.second[0]
	p.broadcast(5, five)
	p.VPADDQ(five, p.h[0], minus[0])
	p.over(minus[0], p.mask44, 44, minus[0])
	p.VPADDQ(p.t[0], p.h[1], minus[1])
	p.over(minus[1], p.mask44, 44, minus[1])
	p.VPADDQ(p.t[0], p.h[2], minus[2])
	p.over(minus[2], p.mask42, 42, minus[2])
	p.VPTESTMQ(p.t[0], p.t[0], reg.K1)
	for i := range minus {
		p.VMOVDQA64(minus[i], reg.K1, p.h[i])
	}
}

// chain carries through all limbs of x.
func (p poly) chain(x limbs) {
	p.over(x[1], p.mask44, 44, x[1])
	p.VPADDQ(p.t[0], x[2], x[2])
	p.over(x[2], p.mask42, 42, x[2])
	p.fold(x)
}

// join makes two words of the lower 128 bits of h.
func (p poly) join(to limbs) {
	p.VPSLLQ(operand.Imm(44), p.h[1], to[0])
	p.VPORQ(p.h[0], to[0], to[0])
	p.VPSRLQ(operand.Imm(20), p.h[1], to[1])
	p.VPSLLQ(operand.Imm(24), p.h[2], p.t[0])
	p.VPORQ(p.t[0], to[1], to[1])
}

// addS adds s modulo 2^128.
func (p poly) addS(l reg.Register, x limbs) {
	s := p.second
	p.restore(mem(l, hashS), s[0], s[1])
	p.VPADDQ(s[0], x[0], x[0])
	p.VPADDQ(s[1], x[1], x[1])
	p.VPCMPUQ(operand.Imm(less), s[0], x[0], reg.K1)
	p.broadcast(1, p.t[0])
	p.VPADDQ(p.t[0], x[1], reg.K1, x[1])
}
