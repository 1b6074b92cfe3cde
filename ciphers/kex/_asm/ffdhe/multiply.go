package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// A number is 40 limbs of 52 bits, each limb a register of 8 lanes, one lane an
// operation: 10 blocks of 4 limbs. In memory the limbs follow each other.
const (
	limbs      = 40
	block      = 4
	blocks     = limbs / block
	blockBytes = block * lanes.LimbBytes
	size       = limbs * lanes.LimbBytes
)

// The registers: sums of low and high halves by column, and one block of each
// operand. high[i] belongs to column i+1.
var (
	low  = [2*block - 1]reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6}
	high = [2*block - 1]reg.VecPhysical{reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13}
	last = reg.Z14 // column 7
	xs   = [block]reg.VecPhysical{reg.Z16, reg.Z17, reg.Z18, reg.Z19}
	ys   = [block]reg.VecPhysical{reg.Z20, reg.Z21, reg.Z22, reg.Z23}
	tmp  = reg.Z24
	mask = reg.Z25
)

// multiplyKernel is Montgomery multiplication by product scanning, a block of
// columns at a time, for primes that are -1 modulo 2^64 and below 2^2048: the
// multiple m of p that clears a limb is the limb itself, and m·p is m·(p+1) less
// m, of which the last only takes the limb away. Operands are below 2p, and so
// is the result; a column's sum stays below 160·2^52.
func (a asm) multiplyKernel() {
	a.Function("multiply")
	a.SignatureExpr("func(dst, x, y, m, p1 *byte)")
	a.Doc("multiply sets dst to x·y/2^2080 modulo p; m is scratch, p1 is p+1 in all lanes.")
	k := kernel{asm: a, dst: a.param("dst"), x: a.param("x"), y: a.param("y"), m: a.param("m"), p1: a.param("p1"),
		left: a.GP64(), right: a.GP64(), count: a.GP64()}
	a.VPBROADCASTQ(a.Constant(lanes.Mask52), mask)
	for _, r := range low {
		a.VPXORQ(r, r, r)
	}
	for column := range 2 * blocks {
		k.column(column)
	}
	a.VZEROUPPER()
	a.RET()
}

func (a asm) param(name string) reg.GPVirtual {
	r := a.GP64()
	a.Load(a.Param(name), r)
	return r
}

type kernel struct {
	asm
	dst, x, y, m, p1   reg.GPVirtual
	left, right, count reg.GPVirtual
}

// column sums up the products of all pairs of blocks that belong to a column of
// blocks, and finishes its four lower columns.
func (k kernel) column(c int) {
	for _, r := range high {
		k.VPXORQ(r, r, r)
	}
	for _, r := range low[block:] {
		k.VPXORQ(r, r, r)
	}
	k.pairs(fmt.Sprintf("xy%d", c), k.x, k.y, max(0, c-blocks+1), min(c, blocks-1), c)
	if c < blocks {
		k.pairs(fmt.Sprintf("mp%d", c), k.m, k.p1, 0, c-1, c)
	} else {
		k.pairs(fmt.Sprintf("mp%d", c), k.m, k.p1, c-blocks+1, blocks-1, c)
	}
	k.merge()
	if c < blocks {
		k.solve(c)
	} else {
		k.emit(c - blocks)
	}
	for i := range block - 1 {
		k.VMOVDQA64(low[block+i], low[i])
	}
	k.VMOVDQA64(last, low[block-1])
}

// pairs multiplies block i of one operand with block c-i of the other, for i from
// first to final.
func (k kernel) pairs(label string, one, two reg.GPVirtual, first, final, c int) {
	if final < first {
		return
	}
	k.LEAQ(operand.Mem{Base: one, Disp: first * blockBytes}, k.left)
	k.LEAQ(operand.Mem{Base: two, Disp: (c - first) * blockBytes}, k.right)
	k.MOVQ(operand.U32(final-first+1), k.count)
	k.Label(label)
	for i := range block {
		k.VMOVDQA64(operand.Mem{Base: k.left, Disp: i * lanes.LimbBytes}, xs[i])
		k.VMOVDQA64(operand.Mem{Base: k.right, Disp: i * lanes.LimbBytes}, ys[i])
	}
	for d := range block { // diagonals first: neighbours add to different columns
		for i := range block {
			j := (i + d) % block
			k.VPMADD52LUQ(ys[j], xs[i], low[i+j])
			k.VPMADD52HUQ(ys[j], xs[i], high[i+j])
		}
	}
	k.ADDQ(operand.U32(blockBytes), k.left)
	k.SUBQ(operand.U32(blockBytes), k.right)
	k.DECQ(k.count)
	k.JNE(operand.LabelRef(label))
}

// merge adds the high halves to their columns.
func (k kernel) merge() {
	for i := range 2*block - 2 {
		k.VPADDQ(high[i], low[i+1], low[i+1])
	}
	k.VMOVDQA64(high[2*block-2], last)
}

// solve finds the block of m that clears the four lower columns. Limb 0 of p+1 is
// zero.
func (k kernel) solve(c int) {
	for j := 1; j < block; j++ {
		k.VMOVDQA64(operand.Mem{Base: k.p1, Disp: j * lanes.LimbBytes}, ys[j])
	}
	for i := range block {
		k.VPANDQ(mask, low[i], xs[i])
		k.VMOVDQA64(xs[i], operand.Mem{Base: k.m, Disp: c*blockBytes + i*lanes.LimbBytes})
		k.VPSRLQ(operand.Imm(52), low[i], tmp)
		k.VPADDQ(tmp, k.at(i+1), k.at(i+1))
		for j := 1; j < block; j++ {
			k.VPMADD52LUQ(ys[j], xs[i], k.at(i+j))
			k.VPMADD52HUQ(ys[j], xs[i], k.at(i+j+1))
		}
	}
}

// at is the sum of a column after merge.
func (k kernel) at(column int) reg.VecPhysical {
	if column == 2*block-1 {
		return last
	}
	return low[column]
}

// emit stores the four lower columns as limbs and carries the rest.
func (k kernel) emit(c int) {
	for i := range block {
		k.VPANDQ(mask, low[i], xs[i])
		k.VMOVDQA64(xs[i], operand.Mem{Base: k.dst, Disp: c*blockBytes + i*lanes.LimbBytes})
		k.VPSRLQ(operand.Imm(52), low[i], tmp)
		k.VPADDQ(tmp, k.at(i+1), k.at(i+1))
	}
}

// selectKernel reads all 16 numbers of a table and keeps, in each lane, the one
// of the lane's digit.
func (a asm) selectKernel() {
	a.Function("choose")
	a.SignatureExpr("func(dst, table, digits *byte)")
	a.Doc("choose sets dst to the table's number of each lane's digit, 0 to 15.")
	dst, table, digits := a.param("dst"), a.param("table"), a.param("digits")
	a.VMOVDQU64(operand.Mem{Base: digits}, tmp)
	masks := [7]reg.OpmaskPhysical{reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}
	counts := []int{7, 7, 2} // digits a pass over the limbs
	first := 0
	for pass, n := range counts {
		a.digitMasks(masks[:n], first)
		a.pass(pass, dst, table, masks[:n], first)
		first += n
	}
	a.VZEROUPPER()
	a.RET()
}

// digitMasks compares the digits with first and those after it.
func (a asm) digitMasks(masks []reg.OpmaskPhysical, first int) {
	general := a.GP64()
	for i, k := range masks {
		a.MOVQ(operand.U32(first+i), general)
		a.VPBROADCASTQ(general, mask)
		a.VPCMPEQQ(mask, tmp, k)
	}
}

// pass moves the numbers of some digits, limb by limb.
func (a asm) pass(pass int, dst, table reg.GPVirtual, masks []reg.OpmaskPhysical, first int) {
	from, to, n := a.GP64(), a.GP64(), a.GP64()
	label := fmt.Sprintf("limb%d", pass)
	a.LEAQ(operand.Mem{Base: table, Disp: first * size}, from)
	a.MOVQ(dst, to)
	a.MOVQ(operand.U32(limbs), n)
	a.Label(label)
	if pass == 0 {
		a.VPXORQ(reg.Z0, reg.Z0, reg.Z0)
	} else {
		a.VMOVDQA64(operand.Mem{Base: to}, reg.Z0)
	}
	for i, k := range masks {
		a.VMOVDQA64(operand.Mem{Base: from, Disp: i * size}, k, reg.Z0)
	}
	a.VMOVDQA64(reg.Z0, operand.Mem{Base: to})
	a.ADDQ(operand.U32(lanes.LimbBytes), from)
	a.ADDQ(operand.U32(lanes.LimbBytes), to)
	a.DECQ(n)
	a.JNE(operand.LabelRef(label))
}
