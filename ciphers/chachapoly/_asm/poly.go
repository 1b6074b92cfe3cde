package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a hashLanes and in a hashEdges, which assertions in the package hold still. A
// limb or a word is one register of 8 lanes, as long as 8 pointers.
const (
	line   = 64
	hashR  = 0               // 3 limbs
	hashR2 = hashR + 3*line  // 3 limbs
	hashH  = hashR2 + 3*line // 3 limbs
	hashS  = hashH + 3*line  // 2 words

	edgeAAD   = 0 // pointers
	edgeTail  = edgeAAD + line
	edgeTag   = edgeTail + line
	edgeSizes = edgeTag + line // 2 words
)

// limbs is a number below 2^130 or a little more in every lane: 44, 44 and 42 bits.
type limbs [3]reg.VecPhysical

// factor is a power of r and what its upper limbs become above 2^130: limb i and
// limb j with i+j = 3 have the weight 2^132, which is 20 modulo 2^130-5.
type factor struct {
	limbs
	times20 [2]reg.VecPhysical // of limbs 1 and 2
}

// product is the 52 low and the 52 high bits of products, summed by limb. The high
// ones have 2^8 times the weight of a limb above.
type product struct{ low, high limbs }

// poly hashes eight packets at once: a packet a 64-bit lane. Two blocks go into one
// step, h = (h + first) r^2 + second r, which carries once.
type poly struct {
	asm
	r, r2         factor
	h             limbs
	first, second limbs // blocks
	sum           product
	t             [2]reg.VecPhysical // temporaries
	mask44        reg.VecPhysical    // the bits of limbs 0 and 1
	mask42        reg.VecPhysical    // those of limb 2
	bit128        reg.VecPhysical    // the bit above a block, in limb 2
	n             reg.VecPhysical    // a size in every lane
}

func newPoly(a asm) poly {
	return poly{
		asm: a,
		r:   factor{limbs(z[0:3]), [2]reg.VecPhysical(z[3:5])},
		r2:  factor{limbs(z[5:8]), [2]reg.VecPhysical(z[8:10])},
		h:   limbs(z[10:13]), first: limbs(z[13:16]), second: limbs(z[16:19]),
		sum: product{limbs(z[19:22]), limbs(z[22:25])},
		t:   [2]reg.VecPhysical(z[25:27]), mask44: z[27], mask42: z[28], bit128: z[29], n: z[30],
	}
}

// constants sets the masks.
func (p poly) constants() {
	for _, c := range []struct {
		value uint64
		to    reg.VecPhysical
	}{{1<<44 - 1, p.mask44}, {1<<42 - 1, p.mask42}, {1 << (128 - 88), p.bit128}} {
		p.broadcast(c.value, c.to)
	}
}

func (p poly) broadcast(value uint64, to reg.VecPhysical) {
	r := p.GP64()
	p.MOVQ(operand.U64(value), r)
	p.VPBROADCASTQ(r, to)
}

// restore and keep load and store registers one after the other.
func (p poly) restore(from operand.Mem, to ...reg.VecPhysical) {
	for i, x := range to {
		p.VMOVDQU64(from.Offset(line*i), x)
	}
}

func (p poly) keep(to operand.Mem, from ...reg.VecPhysical) {
	for i, x := range from {
		p.VMOVDQU64(x, to.Offset(line*i))
	}
}

// resume loads the limbs of r, r^2 and h.
func (p poly) resume(l reg.Register) {
	p.restore(mem(l, hashR), p.r.limbs[:]...)
	p.restore(mem(l, hashR2), p.r2.limbs[:]...)
	p.restore(mem(l, hashH), p.h[:]...)
}

// times20 fills a factor.
func (p poly) times20(f factor) {
	for i, to := range f.times20 {
		p.VPSLLQ(operand.Imm(4), f.limbs[1+i], p.t[0])
		p.VPSLLQ(operand.Imm(2), f.limbs[1+i], to)
		p.VPADDQ(p.t[0], to, to)
	}
}

// block makes limbs of a block, two words in to[0] and to[1]: those of its bytes and the bit
// above.
func (p poly) block(to limbs) {
	p.split(to)
	p.VPORQ(p.bit128, to[2], to[2])
}

// split makes limbs of two words in to[0] and to[1].
func (p poly) split(to limbs) {
	p.VPSRLQ(operand.Imm(24), to[1], to[2])
	p.VPSLLQ(operand.Imm(20), to[1], to[1])
	p.VPSRLQ(operand.Imm(44), to[0], p.t[0])
	p.VPORQ(p.t[0], to[1], to[1])
	p.VPANDQ(p.mask44, to[0], to[0])
	p.VPANDQ(p.mask44, to[1], to[1])
}

// add is x += y.
func (p poly) add(y, x limbs) {
	for i := range x {
		p.VPADDQ(y[i], x[i], x[i])
	}
}
