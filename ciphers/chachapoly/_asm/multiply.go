package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// clear empties the sum.
func (p poly) clear() {
	for i := range p.sum.low {
		p.VPXORQ(p.sum.low[i], p.sum.low[i], p.sum.low[i])
		p.VPXORQ(p.sum.high[i], p.sum.high[i], p.sum.high[i])
	}
}

// multiply adds x f to the sum. The limbs of x have 46 bits at most and those of f
// 45, so that 20 times one has 50: all are below 2^52, and six of the products' low
// halves add up to less than 2^55, six of their high ones to less than 2^47.
func (p poly) multiply(x limbs, f factor) {
	for i := range x {
		for k := range p.sum.low {
			p.multiplyLimb(x[i], p.term(f, k-i), k)
		}
	}
}

// term is the limb of f that gives limb k of the product with limb i, by k-i.
func (p poly) term(f factor, at int) reg.VecPhysical {
	if at < 0 {
		return f.times20[at+2]
	}
	return f.limbs[at]
}

func (p poly) multiplyLimb(x, y reg.VecPhysical, k int) {
	p.VPMADD52LUQ(y, x, p.sum.low[k])
	p.VPMADD52HUQ(y, x, p.sum.high[k])
}

// carry reduces the sum into to. Limb 0 and limb 2 then have no more bits than they
// should, limb 1 is at most 2^44 + 2^16.
func (p poly) carry(to limbs) {
	low, high := p.sum.low, p.sum.high
	for i, shift := range []uint64{8, 8, 10} {
		p.VPSLLQ(operand.Imm(shift), high[i], high[i])
	}
	p.VPADDQ(high[0], low[1], low[1])
	p.VPADDQ(high[1], low[2], low[2])
	p.over(low[0], p.mask44, 44, to[0])
	p.VPADDQ(p.t[0], low[1], low[1])
	p.over(low[1], p.mask44, 44, to[1])
	p.VPADDQ(p.t[0], low[2], low[2])
	p.over(low[2], p.mask42, 42, to[2])
	p.VPADDQ(high[2], p.t[0], p.t[0])
	p.fold(to)
}

// fold adds to limb 0 five times what t[0] has above 2^130.
func (p poly) fold(to limbs) {
	p.VPSLLQ(operand.Imm(2), p.t[0], p.t[1])
	p.VPADDQ(p.t[0], to[0], to[0])
	p.VPADDQ(p.t[1], to[0], to[0])
	p.over(to[0], p.mask44, 44, to[0])
	p.VPADDQ(p.t[0], to[1], to[1])
}

// over puts the upper bits of x, from bit on, into t[0] and the others into to.
func (p poly) over(x, mask reg.VecPhysical, bit uint64, to reg.VecPhysical) {
	p.VPSRLQ(operand.Imm(bit), x, p.t[0])
	p.VPANDQ(mask, x, to)
}
