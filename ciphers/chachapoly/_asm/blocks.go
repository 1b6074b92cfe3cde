package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blocks is the kernel for whole blocks.
func (p poly) blocks() {
	p.function("hashBlocks", "func(l, at *byte, n, lanes int)",
		"takes n blocks from every place, at least one. Only those lanes whose bits are set change.")
	l, n, lanes := p.param("l"), p.param("n"), p.param("lanes")
	at := p.pointers(mem(p.param("at"), 0))
	p.constants()
	p.resume(l)
	p.times20(p.r)
	p.times20(p.r2)
	p.pairs(at, n)
	p.TESTQ(operand.U32(1), n)
	p.JZ(operand.LabelRef("keep"))
	p.load(at, 0, p.first)
	p.block(p.first)
	p.single()
	p.Label("keep")
	p.KMOVB(lanes.As32(), reg.K1)
	for i, x := range p.h {
		p.VMOVDQU64(x, reg.K1, mem(l, hashH+line*i))
	}
	p.done()
}

// pairs takes n blocks but for the last of an odd number.
func (p poly) pairs(at places, n reg.Register) {
	left := p.GP64()
	p.MOVQ(n, left)
	p.SHRQ(operand.Imm(1), left)
	p.JZ(operand.LabelRef("last"))
	p.Label("pair")
	p.load(at, hashBlock, p.second)
	p.block(p.second)
	p.load(at, 0, p.first)
	p.block(p.first)
	p.pair()
	for _, from := range at {
		p.ADDQ(operand.Imm(2*hashBlock), from.Base)
	}
	p.DECQ(left)
	p.JNZ(operand.LabelRef("pair"))
	p.Label("last")
}

// pair is h = (h + first) r^2 + second r.
func (p poly) pair() {
	p.clear()
	p.multiply(p.second, p.r)
	p.add(p.h, p.first)
	p.multiply(p.first, p.r2)
	p.carry(p.h)
}

// single is h = (h + first) r.
func (p poly) single() {
	p.clear()
	p.add(p.h, p.first)
	p.multiply(p.first, p.r)
	p.carry(p.h)
}
