package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposition emits the subroutine that makes of 16 lanes' rows the 16 words of
// all lanes, and returns where these are. Each step takes a spare register and
// leaves another.
func (s sha) transposition() [16]reg.VecPhysical {
	s.subroutine("transpose", "makes words of the rows in registers 0 to 15.")
	w, free := [16]reg.VecPhysical(z[:16]), spare
	pair := func(low, high func(...operand.Op), i, j int) {
		low(w[j], w[i], free)
		high(w[j], w[i], w[j])
		w[i], free = free, w[i]
	}
	for g := 0; g < 16; g += 4 { // 4 by 4 words, in each quarter of the registers
		for _, i := range []int{g, g + 2} {
			pair(s.op(s.VPUNPCKLDQ), s.op(s.VPUNPCKHDQ), i, i+1)
		}
		for _, i := range []int{g, g + 1} {
			pair(s.op(s.VPUNPCKLQDQ), s.op(s.VPUNPCKHQDQ), i, i+2)
		}
		// Word 1 is now in register 2 and word 2 in register 1.
		w[g+1], w[g+2] = w[g+2], w[g+1]
	}
	for j := range 4 { // 4 by 4 quarters
		for _, i := range []int{j, j + 8} {
			pair(s.quarters(0x44), s.quarters(0xee), i, i+4)
		}
		for _, i := range []int{j, j + 4} {
			pair(s.quarters(0x88), s.quarters(0xdd), i, i+8)
		}
		// Quarters 1 and 2 stand in each other's place.
		w[j+4], w[j+8] = w[j+8], w[j+4]
	}
	s.RET()
	return w
}

func (s sha) op(f func(...operand.Op)) func(...operand.Op) { return f }

func (s sha) quarters(how uint64) func(...operand.Op) {
	return func(ops ...operand.Op) { s.VSHUFI32X4(operand.Imm(how), ops[0], ops[1], ops[2]) }
}
