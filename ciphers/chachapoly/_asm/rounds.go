package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sigma is "expand 32-byte k" (RFC 8439 section 2.3), words 0 to 3 of a block.
var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

// doubleRounds is how many pairs of column and diagonal rounds ChaCha20 has.
const doubleRounds = 10

// width is how many blocks are computed at once.
const width = 16

// chacha computes 16 blocks at once: a block a 32-bit lane, a word of the block a
// register.
type chacha struct {
	asm
	sigma, steps operand.Mem
	x            []reg.VecPhysical // the words of the blocks
}

func newChacha(a asm) chacha {
	var steps [width]uint32
	for i := range steps {
		steps[i] = uint32(i)
	}
	return chacha{a, a.words("sigma", sigma[:]), a.words("steps", steps[:]), z[:width]}
}

// words is a constant.
func (a asm) words(name string, value []uint32) operand.Mem {
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range value {
		a.AddDatum(4*i, operand.U32(w))
	}
	return m
}

// constants sets words 0 to 3.
func (c chacha) constants() {
	for j := range sigma {
		c.VPBROADCASTD(c.sigma.Offset(4*j), c.x[j])
	}
}

// addConstants adds the initial words 0 to 3.
func (c chacha) addConstants() {
	for j := range sigma {
		c.VPADDD_BCST(c.sigma.Offset(4*j), c.x[j], c.x[j])
	}
}

// rounds are the 20 rounds of ChaCha20.
func (c chacha) rounds() {
	left := c.GP64()
	c.MOVQ(operand.U32(doubleRounds), left)
	c.Label("rounds")
	c.quarters(0)
	c.quarters(1)
	c.DECQ(left)
	c.JNZ(operand.LabelRef("rounds"))
}

// quarters is four quarter rounds side by side, on columns or with turn 1 on
// diagonals (RFC 8439 section 2.3). Each takes a word of every row, as its a, b, c and d.
func (c chacha) quarters(turn int) {
	row := func(r int) (words [4]reg.VecPhysical) {
		for j := range words {
			words[j] = c.x[4*r+(j+r*turn)%4]
		}
		return words
	}
	rowA, rowB, rowC, rowD := row(0), row(1), row(2), row(3)
	c.mix(rowA, rowB, rowD, 16)
	c.mix(rowC, rowD, rowB, 12)
	c.mix(rowA, rowB, rowD, 8)
	c.mix(rowC, rowD, rowB, 7)
}

// mix is to += add, turn = (turn ^ to) <<< bits, in four quarter rounds.
func (c chacha) mix(to, add, turn [4]reg.VecPhysical, bits uint64) {
	for j := range to {
		c.VPADDD(add[j], to[j], to[j])
	}
	for j := range to {
		c.VPXORD(to[j], turn[j], turn[j])
	}
	for j := range to {
		c.VPROLD(operand.Imm(bits), turn[j], turn[j])
	}
}
