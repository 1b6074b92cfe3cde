package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// places are where the lanes' blocks stand.
type places [8]operand.Mem

// pointers are the places that a list of pointers gives.
func (p poly) pointers(list operand.Mem) (at places) {
	for lane := range at {
		r := p.GP64()
		p.MOVQ(list.Offset(8*lane), r)
		at[lane] = mem(r, 0)
	}
	return at
}

// load loads a block in every lane as two words, into to[0] and to[1].
func (p poly) load(at places, disp int, to limbs) {
	rows := p.rows(to)
	for lane, from := range at {
		row, quarter := rows[lane%2], lane/2
		if quarter == 0 {
			p.VMOVDQU32(from.Offset(disp), row.AsX())
			continue
		}
		p.VINSERTI32X4(operand.Imm(uint64(quarter)), from.Offset(disp), row, row)
	}
	p.VPUNPCKLQDQ(rows[1], rows[0], to[0])
	p.VPUNPCKHQDQ(rows[1], rows[0], to[1])
}

// store stores the two words x[0] and x[1] of every lane as a block.
func (p poly) store(x limbs, at places) {
	rows := p.rows(x)
	p.VPUNPCKLQDQ(x[1], x[0], rows[0])
	p.VPUNPCKHQDQ(x[1], x[0], rows[1])
	for lane, to := range at {
		row, quarter := rows[lane%2], lane/2
		if quarter == 0 {
			p.VMOVDQU32(row.AsX(), to)
			continue
		}
		p.VEXTRACTI32X4(operand.Imm(uint64(quarter)), row, to)
	}
}

// rows are registers with the blocks of the even and of the odd lanes.
func (p poly) rows(x limbs) [2]reg.VecPhysical { return [2]reg.VecPhysical{x[2], p.t[1]} }

// trim clears the bytes of a block from byte n of a message on, where the block is at from.
// A shift by 64 and more leaves nothing.
func (p poly) trim(block limbs, from int) {
	for i := range 2 {
		p.broadcast(uint64(64*(1+i)+8*from), p.t[0])
		p.VPSLLQ(operand.Imm(3), p.n, p.t[1])
		p.VPSUBQ(p.t[1], p.t[0], p.t[0])
		p.VPXORQ(p.t[1], p.t[1], p.t[1])
		p.VPMAXSQ(p.t[1], p.t[0], p.t[0])
		p.VPTERNLOGQ(operand.Imm(0xff), p.t[1], p.t[1], p.t[1])
		p.VPSRLVQ(p.t[0], p.t[1], p.t[1])
		p.VPANDQ(p.t[1], block[i], block[i])
	}
}
