package main

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// word is the register of A[x, y] before round i. So numbered, a round takes each
// row of its result from the same five registers into which it writes it
// (Bertoni, Daemen, Peeters, Van Assche and Van Keer, "Keccak implementation
// overview", section 2.5).
func word(i, x, y int) reg.VecPhysical {
	for range i {
		y = (x + 2*y) % 5
	}
	return lanes.Z(x + 5*y)
}

// column is a register for the parity of column x; free are two that theta leaves.
func column(x int) reg.VecPhysical { return lanes.Z(words + x) }

var (
	spare = lanes.Z(30)
	other = lanes.Z(31)
)

// effects are where theta puts what it adds to each column, and free what it
// leaves unused.
var (
	effects = [5]reg.VecPhysical{spare, column(0), column(1), column(2), column(3)}
	free    = [2]reg.VecPhysical{column(4), other}
)

// theta finds the parity of each column and, from those of its neighbours, what
// the column is added: D[x] = C[x-1] + (C[x+1] <<< 1). Each is written where a
// parity lies that is needed no more.
func (a asm) theta(i int) {
	for x := range 5 {
		c := column(x)
		a.VMOVDQA64(word(i, x, 0), c)
		a.VPTERNLOGQ(operand.Imm(xor3), word(i, x, 1), word(i, x, 2), c)
		a.VPTERNLOGQ(operand.Imm(xor3), word(i, x, 3), word(i, x, 4), c)
	}
	a.VPROLQ(operand.Imm(1), column(1), spare)
	a.VPXORQ(column(4), spare, spare)
	for _, x := range []int{2, 4, 1, 3} {
		a.VPROLQ(operand.Imm(1), column((x+1)%5), other)
		a.VPXORQ(other, column(x-1), column(x-1))
	}
}

// The truth tables of the three-input instruction.
const (
	xor3 = 0x96
	chi3 = 0xd2 // a + (not b and c)
)

// rows do theta's sum, rho, pi and chi, a row of the result after the other.
func (a asm) rows(i int) {
	for row := range 5 {
		r := newRow(i, row)
		a.gather(r)
		for y := range 5 {
			if n := rotations[r.column[y]][y]; n != 0 {
				a.VPROLQ(operand.Imm(n), r.to[y], r.to[y])
			}
		}
		a.chi(r.to)
	}
}

// row is where the words of a row of the result come from and go to.
type row struct {
	column   [5]int // x of the word from row y that pi brings to place y
	from, to [5]reg.VecPhysical
}

// newRow follows pi (FIPS 202 section 3.2.3): A'[x, y] = A[x + 3y, x].
func newRow(i, y int) (r row) {
	for x := range 5 {
		r.column[x] = (x + 3*y) % 5
		r.from[x], r.to[x] = word(i, r.column[x], x), word(i+1, x, y)
	}
	return r
}

// gather adds theta's effect and moves the words to their places, round each cycle
// of the permutation.
func (a asm) gather(r row) {
	var done [5]bool
	for first := range 5 {
		if done[first] {
			continue
		}
		a.VMOVDQA64(r.to[first], free[0])
		for x := first; !done[x]; x = slices.Index(r.to[:], r.from[x]) {
			from := r.from[x]
			if from == r.to[first] {
				from = free[0]
			}
			a.VPXORQ(effects[r.column[x]], from, r.to[x])
			done[x] = true
		}
	}
}

// chi combines each word with the two behind it.
func (a asm) chi(b [5]reg.VecPhysical) {
	a.VMOVDQA64(b[0], free[0])
	a.VMOVDQA64(b[1], free[1])
	a.VPTERNLOGQ(operand.Imm(chi3), b[2], b[1], b[0])
	a.VPTERNLOGQ(operand.Imm(chi3), b[3], b[2], b[1])
	a.VPTERNLOGQ(operand.Imm(chi3), b[4], b[3], b[2])
	a.VPTERNLOGQ(operand.Imm(chi3), free[0], b[4], b[3])
	a.VPTERNLOGQ(operand.Imm(chi3), free[1], free[0], b[4])
}
