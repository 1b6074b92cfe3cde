package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a group.
const (
	groupKey   = laneKey
	groupAt    = groupKey + lanes*8
	groupICV   = groupAt + lanes*8
	groupHigh  = groupICV + lanes*8
	groupPad   = groupHigh + lanes*4
	groupBytes = groupPad + 2*64
	groupESN   = groupBytes + 8
	groupLast  = groupESN + 8
	groupWhole = groupLast + 8
	groupOuter = groupWhole + 8
	groupStart = groupOuter + 8*lanes*4
)

// hmac emits a function that computes the HMACs of 16 messages of one length, from
// the states of their keys to the ICVs.
func (h *hasher) hmac() {
	h.function("hmac"+h.name, "func(p *byte)", "authenticates the messages of a group.")
	g, off, n := h.param("p"), h.GP64(), h.GP64()
	h.keys(mem(g, groupKey))
	for i, s := range h.state {
		h.VMOVDQA32(h.w[i], s)
		h.VMOVDQU32(h.w[8+i], mem(g, groupOuter+64*i))
	}
	h.LEAQ(mem(g, groupStart), start)
	h.VMOVDQU32(h.swap, swapped)
	h.XORQ(off, off)
	h.MOVQ(mem(g, groupWhole), n)
	h.TESTQ(n, n)
	h.JZ(operand.LabelRef("last"))
	h.blocks(mem(g, groupAt), off, n)
	h.Label("last")
	h.ending(g, off)
	for i, s := range h.state {
		h.VMOVDQA32(s, h.w[i])
		h.VMOVDQU32(mem(g, groupOuter+64*i), s)
	}
	h.outerBlock()
	h.icvs(g)
	h.VZEROUPPER()
	h.RET()
}

// ending compresses what is left of the messages, less than a block, with the high
// half of the sequence number where a mask names its word, and the padding.
func (h *hasher) ending(g, off reg.Register) {
	h.KMOVQ(mem(g, groupBytes), reg.K1)
	h.load(mem(g, groupAt), off, reg.K1)
	h.KMOVW(mem(g, groupESN), reg.K2)
	for i, row := range z[:16] {
		h.VPBROADCASTD(mem(g, groupHigh+4*i), reg.K2, row)
	}
	h.call("transpose")
	for i, w := range h.w {
		h.VPORD_BCST(mem(g, groupPad+4*i), w, w)
	}
	h.call("block" + h.name)
	h.CMPQ(mem(g, groupLast), operand.Imm(1))
	h.JE(operand.LabelRef("outer"))
	for i, w := range h.w {
		h.VPBROADCASTD(mem(g, groupPad+64+4*i), w)
	}
	h.call("block" + h.name)
	h.Label("outer")
}

// icvs stores the first words of each HMAC, as many as RFC 2404 and RFC 4868 keep. It
// writes nothing behind them, where another packet may begin.
func (h *hasher) icvs(g reg.Register) {
	x, w, p := z[:4], z[4:8], h.GP64()
	for _, s := range h.state[:4] {
		h.VPSHUFB(swapped, s, s)
	}
	for i, s := range []reg.VecPhysical{h.state[0], h.state[2]} {
		h.VPUNPCKLDQ(h.state[2*i+1], s, x[2*i])
		h.VPUNPCKHDQ(h.state[2*i+1], s, x[2*i+1])
	}
	for i := range 2 {
		h.VPUNPCKLQDQ(x[2+i], x[i], w[2*i])
		h.VPUNPCKHQDQ(x[2+i], x[i], w[2*i+1])
	}
	for i := range lanes {
		h.MOVQ(mem(g, groupICV+8*i), p)
		quarter, from := operand.Imm(uint64(i/4)), w[i%4]
		if h.icvWords == 4 {
			h.VEXTRACTI32X4(quarter, from, mem(p, 0))
			continue
		}
		h.VEXTRACTI32X4(quarter, from, x[0].AsX())
		h.VMOVQ(x[0].AsX(), mem(p, 0))
		h.VPEXTRD(operand.Imm(2), x[0].AsX(), mem(p, 8))
	}
}
