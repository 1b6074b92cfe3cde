package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a blockLane, which assertions in the package hold still.
const (
	laneIV   = 0
	laneKey  = 16
	laneSrc  = 24
	laneDst  = 32
	laneMask = 40
	laneSize = 48
)

// lanes is the kernel for sets of 16 blocks of any packets.
func (c chacha) lanes() {
	c.function("chachaLanes", "func(sets *byte, n int)", "encrypts one block in every lane of n sets, at least one.")
	set, n := c.param("sets"), c.param("n")
	initial, spare := z[width:width+12], z[28:]
	c.Label("set")
	c.loadKeys(set, initial[:8], spare)
	c.loadIVs(set, initial[8:], spare)
	c.constants()
	for j, from := range initial {
		c.VMOVDQA32(from, c.x[4+j])
	}
	c.rounds()
	c.addConstants()
	for j, from := range initial {
		c.VPADDD(from, c.x[4+j], c.x[4+j])
	}
	c.encryptLanes(set, c.keyStream(spare))
	c.ADDQ(operand.U32(laneSize*width), set)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("set"))
	c.done()
}

// loadKeys sets the words 4 to 11 of all blocks.
func (c chacha) loadKeys(b reg.Register, to, spare []reg.VecPhysical) {
	key := c.GP64()
	for lane := range width {
		c.MOVQ(mem(b, laneSize*lane+laneKey), key)
		c.loadRow(lane, mem(key, 0), to[:4])
		c.loadRow(lane, mem(key, 16), to[4:])
	}
	c.small(to[:4], spare)
	c.small(to[4:], spare)
}

// loadIVs sets the words 12 to 15 of all blocks.
func (c chacha) loadIVs(b reg.Register, to, spare []reg.VecPhysical) {
	for lane := range width {
		c.loadRow(lane, mem(b, laneSize*lane+laneIV), to)
	}
	c.small(to, spare)
}

// loadRow loads four words of a lane's block to where small makes words of rows.
func (c chacha) loadRow(lane int, from operand.Mem, to []reg.VecPhysical) {
	row := to[lane%4]
	if lane < 4 {
		c.VMOVDQU32(from, row.AsX())
		return
	}
	c.VINSERTI32X4(operand.Imm(uint64(lane/4)), from, row, row)
}

// encryptLanes encrypts with a block of key stream in every lane as many bytes as
// its mask has bits.
func (c chacha) encryptLanes(b reg.Register, blocks [width]reg.VecPhysical) {
	at, mask, text := c.GP64(), reg.K1, z[28]
	for lane, block := range blocks {
		field := func(offset int) operand.Mem { return mem(b, laneSize*lane+offset) }
		c.KMOVQ(field(laneMask), mask)
		c.MOVQ(field(laneSrc), at)
		c.VMOVDQU8_Z(mem(at, 0), mask, text)
		c.VPXORD(text, block, block)
		c.MOVQ(field(laneDst), at)
		c.VMOVDQU8(block, mask, mem(at, 0))
	}
}
