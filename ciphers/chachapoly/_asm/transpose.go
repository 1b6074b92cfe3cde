package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// small turns the 4 by 4 words of each 128-bit lane of x around: word j of x[k]
// becomes word k of x[j]. It is its own inverse and overwrites t.
func (c chacha) small(x, t []reg.VecPhysical) {
	c.VPUNPCKLDQ(x[1], x[0], t[0])
	c.VPUNPCKHDQ(x[1], x[0], t[1])
	c.VPUNPCKLDQ(x[3], x[2], t[2])
	c.VPUNPCKHDQ(x[3], x[2], t[3])
	c.VPUNPCKLQDQ(t[2], t[0], x[0])
	c.VPUNPCKHQDQ(t[2], t[0], x[1])
	c.VPUNPCKLQDQ(t[3], t[1], x[2])
	c.VPUNPCKHQDQ(t[3], t[1], x[3])
}

// keyStream makes of the 16 words of the blocks the 16 blocks, and returns where
// these are. It overwrites t.
func (c chacha) keyStream(t []reg.VecPhysical) (blocks [width]reg.VecPhysical) {
	for i := 0; i < width; i += 4 {
		c.small(c.x[i:i+4], t)
	}
	for i := range 4 {
		for lane, q := range c.quarter(i, t) {
			blocks[4*lane+i] = q
		}
	}
	return blocks
}

// quarter makes of what small left of blocks i, 4+i, 8+i and 12+i, each of which has a
// 128-bit lane in four registers, these blocks.
func (c chacha) quarter(i int, t []reg.VecPhysical) [4]reg.VecPhysical {
	const low, high, even, odd = 0x44, 0xee, 0x88, 0xdd
	pick := func(how uint64, first, second, to reg.VecPhysical) {
		c.VSHUFI32X4(operand.Imm(how), second, first, to)
	}
	x := [4]reg.VecPhysical{c.x[i], c.x[4+i], c.x[8+i], c.x[12+i]}
	pick(low, x[0], x[1], t[0])
	pick(high, x[0], x[1], t[1])
	pick(low, x[2], x[3], t[2])
	pick(high, x[2], x[3], t[3])
	pick(even, t[0], t[2], x[0])
	pick(odd, t[0], t[2], x[1])
	pick(even, t[1], t[3], x[2])
	pick(odd, t[1], t[3], x[3])
	return x
}
