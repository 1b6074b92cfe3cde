package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is the vector registers that a tier uses, and what they are called.
type width struct {
	lanes int // 128-bit lanes
	regs  []reg.VecPhysical
}

var (
	zmm = width{4, []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	}}
	ymm = width{2, []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}}
)

// bytes is the size of a register.
func (w width) bytes() int { return 16 * w.lanes }

// broadcast loads 16 bytes into every lane.
func (a asm) broadcast(w width, from operand.Mem, to reg.VecPhysical) {
	if w.lanes == 4 {
		a.VBROADCASTI32X4(from, to)
		return
	}
	a.VBROADCASTI128(from, to)
}

// loadLane loads 16 bytes into one lane. Lane 0 comes first and overwrites all.
func (a asm) loadLane(w width, lane int, from operand.Mem, to reg.VecPhysical) {
	switch {
	case lane == 0:
		a.VMOVDQU(from, to.AsX())
	case w.lanes == 4:
		a.VINSERTI32X4(operand.Imm(uint64(lane)), from, to, to)
	default:
		a.VINSERTI128(operand.Imm(uint64(lane)), from, to, to)
	}
}

// store stores a register.
func (a asm) store(w width, from reg.VecPhysical, to operand.Mem) {
	if w.lanes == 4 {
		a.VMOVDQU64(from, to)
		return
	}
	a.VMOVDQU(from, to)
}

// storeLane stores one lane.
func (a asm) storeLane(w width, lane int, from reg.VecPhysical, to operand.Mem) {
	switch {
	case lane == 0:
		a.VMOVDQU(from.AsX(), to)
	case w.lanes == 4:
		a.VEXTRACTI32X4(operand.Imm(uint64(lane)), from, to)
	default:
		a.VEXTRACTI128(operand.Imm(uint64(lane)), from, to)
	}
}

// xor is to = x ^ y. Only the AVX-512 form reaches 512 bits.
func (a asm) xor(w width, x operand.Op, y, to reg.VecPhysical) {
	if w.lanes == 4 {
		a.VPXORD(x, y, to)
		return
	}
	a.VPXOR(x, y, to)
}
