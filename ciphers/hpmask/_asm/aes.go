package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group is the packets that share round keys in the wide loop.
const group = 16

func (a asm) aesTier(tier string, w width) {
	for _, v := range []struct{ bits, rounds int }{{128, 10}, {256, 14}} {
		name := fmt.Sprintf("aes%d%s", v.bits, tier)
		a.aesRow(name+"Row", w, v.rounds)
		aesKernel{a.kernel(name, "encrypts the samples of n packets."), w, v.rounds}.emit()
	}
}

// aesKernel encrypts one block a packet, of packets anywhere in a burst. Sixteen in
// turn under one key go through full registers with a round key a broadcast. Others go four at
// a time, a packet a register, each with the round keys at its own address: as
// an operand of VAESENC they cost no more than a broadcast and a blend would.
type aesKernel struct {
	burst
	w      width
	rounds int
}

func (k aesKernel) emit() {
	quads, start := k.GP64(), k.GP64()
	k.MOVQ(k.index, start)
	k.Label("wide")
	k.CMPQ(k.n, operand.Imm(group))
	k.JB(operand.LabelRef("tail"))
	k.wide()
	k.JMP(operand.LabelRef("wide"))

	k.Label("mixed")
	k.MOVQ(operand.U32(group/4), quads)
	k.JMP(operand.LabelRef("quad"))
	k.Label("tail")
	k.stepBack(start)
	k.Label("short")
	k.MOVQ(k.n, quads)
	k.SHRQ(operand.Imm(2), quads)
	k.JZ(operand.LabelRef("ones"))
	k.Label("quad")
	k.narrow(4)
	k.DECQ(quads)
	k.JNZ(operand.LabelRef("quad"))
	k.JMP(operand.LabelRef("wide"))

	k.Label("ones")
	k.TESTQ(k.n, k.n)
	k.JZ(operand.LabelRef("done"))
	k.Label("one")
	k.narrow(1)
	k.JNZ(operand.LabelRef("one"))
	k.Label("done")
	k.done()
}

// wide serves a group, or leaves it to label mixed when its keys differ. Where
// keys alternate, the first and the last mostly show it before samples are loaded.
func (k aesKernel) wide() {
	blocks := k.w.regs[:group/k.w.lanes]
	key, differ := k.GP64(), k.GP64()
	k.packet(0, key)
	k.key(key, key)
	k.packet(group-1, differ)
	k.key(differ, differ)
	k.CMPQ(key, differ)
	k.JNE(operand.LabelRef("mixed"))
	k.samples(k.w, blocks, key, differ)
	k.TESTQ(differ, differ)
	k.JNZ(operand.LabelRef("mixed"))
	k.expanded(key)
	k.encrypt(k.w, k.rounds, key, blocks)
	k.masks(k.w, blocks)
	k.advance(group)
}

// encrypt encrypts blocks under the round keys at schedule.
func (a asm) encrypt(w width, rounds int, schedule reg.Register, blocks []reg.VecPhysical) {
	round := w.regs[len(blocks)]
	for r := range rounds + 1 {
		a.broadcast(w, operand.Mem{Base: schedule, Disp: 16 * r}, round)
		for _, x := range blocks {
			switch r {
			case 0:
				a.xor(w, round, x, x)
			case rounds:
				a.VAESENCLAST(round, x, x)
			default:
				a.VAESENC(round, x, x)
			}
		}
	}
}

// stepBack makes half a group or more at the end of a long burst a whole one
// again, with packets that are masked already: that costs less than what narrow
// takes for the rest. Short bursts and short rests go to label short.
func (k aesKernel) stepBack(start reg.Register) {
	k.CMPQ(k.n, operand.Imm(group/2))
	k.JB(operand.LabelRef("short"))
	last := k.GP64()
	k.LEAQ(operand.Mem{Base: k.index, Index: k.n, Scale: 1, Disp: -group}, last)
	k.CMPQ(last, start)
	k.JB(operand.LabelRef("short"))
	k.MOVQ(last, k.index)
	k.MOVQ(operand.U32(group), k.n)
	k.JMP(operand.LabelRef("wide"))
}

// narrow serves n packets under any keys.
func (k aesKernel) narrow(n int) {
	var keys [4]reg.Register
	p := k.GP64()
	for i := range n {
		keys[i] = k.GP64()
		k.packet(i, p)
		k.key(p, keys[i])
		k.expanded(keys[i])
		k.VMOVDQU(k.sample(p), k.w.regs[i].AsX())
	}
	for r := range k.rounds + 1 {
		for i := range n {
			x, round := k.w.regs[i].AsX(), operand.Mem{Base: keys[i], Disp: 16 * r}
			switch r {
			case 0:
				k.VPXOR(round, x, x)
			case k.rounds:
				k.VAESENCLAST(round, x, x)
			default:
				k.VAESENC(round, x, x)
			}
		}
	}
	for i := range n {
		k.VMOVDQU(k.w.regs[i].AsX(), k.mask(i))
	}
	k.advance(n)
}

// advance steps over n packets and sets the zero flag behind the last.
func (k aesKernel) advance(n int) {
	k.ADDQ(operand.Imm(uint64(n)), k.index)
	k.SUBQ(operand.Imm(uint64(n)), k.n)
}
