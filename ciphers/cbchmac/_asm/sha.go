package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a macLanes.
const (
	laneState = 0
	laneAt    = 8 * lanes * 4
)

// Offsets in an outerLanes.
const (
	outerInner = 0
	outerKey   = outerInner + 8*lanes*4
	outerMACs  = outerKey + lanes*8
	outerStart = outerMACs + lanes*64
)

// sha compresses 16 messages at a time, one in each 32-bit lane.
func (a asm) sha() {
	swap := a.table("swap", swapBytes())
	k1, k256 := a.table("k1", sha1Constants[:]), a.table("k256", sha256Constants[:])
	sha1 := algorithm{"SHA1x16", 5, func(h hasher) { h.sha1(k1) }}
	sha256 := algorithm{"SHA256x16", 8, func(h hasher) { h.sha256(k256) }}
	for _, alg := range []algorithm{sha1, sha256} {
		a.compress(alg, swap)
		a.outer(alg, swap)
	}
}

func (a asm) table(name string, words []uint32) operand.Mem {
	t := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range words {
		a.AddDatum(4*i, operand.U32(w))
	}
	return t
}

// swapBytes reverses the bytes of each word.
func swapBytes() (words []uint32) {
	for i := range uint32(16) {
		at := 4 * (i % 4)
		words = append(words, at<<24|(at+1)<<16|(at+2)<<8|at+3)
	}
	return words
}

var sha1Constants = [...]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// algorithm is a hash function with so many words of state. rounds turns the state
// in registers into what is added to the one before.
type algorithm struct {
	name   string
	words  int
	rounds func(hasher)
}

// hasher is one block of each lane. Registers 0 to 15 are the message schedule,
// the state lies behind them.
type hasher struct {
	asm
	w, state, t [16]reg.VecPhysical
}

func (a asm) hasher(words int) hasher {
	h := hasher{asm: a}
	copy(h.w[:], z[:16])
	copy(h.state[:], z[16:16+words])
	copy(h.t[:], z[16+words:])
	return h
}

// compress emits a function that runs n blocks through every lane.
func (a asm) compress(alg algorithm, swap operand.Mem) {
	words := alg.words
	a.function("compress"+alg.name, "func(l *byte, n int)", "compresses n blocks, at least one, in each lane.")
	l, n, off, p := a.param("l"), a.param("n"), a.GP64(), a.GP64()
	h := a.hasher(words)
	a.XORQ(off, off)
	a.Label("block")
	for i, w := range h.w {
		a.MOVQ(mem(l, laneAt+8*i), p)
		a.VMOVDQU32(operand.Mem{Base: p, Index: off, Scale: 1}, w)
	}
	h.t[0] = h.transpose(h.t[0])
	a.VMOVDQU32(swap, h.t[1])
	for i, w := range h.w {
		a.VPSHUFB(h.t[1], w, w)
		if i < words {
			a.VMOVDQU32(mem(l, laneState+64*i), h.state[i])
		}
	}
	alg.rounds(h)
	for i, s := range h.state[:words] {
		at := mem(l, laneState+64*i)
		a.VPADDD(at, s, s)
		a.VMOVDQU32(s, at)
	}
	a.ADDQ(operand.Imm(64), off)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("block"))
	a.VZEROUPPER()
	a.RET()
}

// outer emits a function that computes the outer hash of RFC 2104 in every lane. A
// schedule starts with the words of its two states, 16 in all, so that one
// transposition brings the lanes' outer ones into registers 8 to 15; another makes
// rows of the HMACs. The message is the inner hash, padding and length.
func (a asm) outer(alg algorithm, swap operand.Mem) {
	words := alg.words
	a.function("outer"+alg.name, "func(o *byte)", "completes the HMAC of each lane.")
	o, p := a.param("o"), a.GP64()
	h := a.hasher(words)
	for i, w := range h.w {
		a.MOVQ(mem(o, outerKey+8*i), p)
		a.VMOVDQU32(mem(p, 0), w)
	}
	h.t[0] = h.transpose(h.t[0])
	for i := range words {
		a.VMOVDQA32(h.w[8+i], h.state[i])
		a.VMOVDQU32(h.state[i], mem(o, outerStart+64*i))
	}
	for i := range words {
		a.VMOVDQU32(mem(o, outerInner+64*i), h.w[i])
	}
	for i := words; i < 16; i++ {
		a.VPXORD(h.w[i], h.w[i], h.w[i])
	}
	for _, fixed := range []struct {
		word  int
		value uint32
	}{{words, 1 << 31}, {15, uint32(8 * (64 + 4*words))}} {
		a.MOVL(operand.U32(fixed.value), p.As32())
		a.VPBROADCASTD(p.As32(), h.w[fixed.word])
	}
	alg.rounds(h)
	for i, s := range h.state[:words] {
		a.VPADDD(mem(o, outerStart+64*i), s, s)
		h.w[i], h.state[i] = s, h.w[i]
	}
	h.t[0] = h.transpose(h.t[0])
	a.VMOVDQU32(swap, h.t[1])
	for i, w := range h.w {
		a.VPSHUFB(h.t[1], w, w)
		a.VMOVDQU32(w, mem(o, outerMACs+64*i))
	}
	a.VZEROUPPER()
	a.RET()
}

// transpose makes of 16 lanes' words the 16 words of all lanes. Each step takes a
// spare register and leaves another.
func (h *hasher) transpose(spare reg.VecPhysical) reg.VecPhysical {
	pair := func(low, high func(...operand.Op), i, j int) {
		low(h.w[j], h.w[i], spare)
		high(h.w[j], h.w[i], h.w[j])
		h.w[i], spare = spare, h.w[i]
	}
	for g := 0; g < 16; g += 4 { // 4 by 4 words, in each quarter of the registers
		for _, i := range []int{g, g + 2} {
			pair(h.op(h.VPUNPCKLDQ), h.op(h.VPUNPCKHDQ), i, i+1)
		}
		for _, i := range []int{g, g + 1} {
			pair(h.op(h.VPUNPCKLQDQ), h.op(h.VPUNPCKHQDQ), i, i+2)
		}
		// Word 1 is now in register 2 and word 2 in register 1.
		h.w[g+1], h.w[g+2] = h.w[g+2], h.w[g+1]
	}
	for j := range 4 { // 4 by 4 quarters
		for _, i := range []int{j, j + 8} {
			pair(h.quarters(0x44), h.quarters(0xee), i, i+4)
		}
		for _, i := range []int{j, j + 4} {
			pair(h.quarters(0x88), h.quarters(0xdd), i, i+8)
		}
		// Quarters 1 and 2 stand in each other's place.
		h.w[j+4], h.w[j+8] = h.w[j+8], h.w[j+4]
	}
	return spare
}

func (h *hasher) op(f func(...operand.Op)) func(...operand.Op) { return f }

func (h *hasher) quarters(how uint64) func(...operand.Op) {
	return func(ops ...operand.Op) { h.VSHUFI32X4(operand.Imm(how), ops[0], ops[1], ops[2]) }
}
