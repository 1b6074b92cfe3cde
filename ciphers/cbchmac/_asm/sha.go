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

// Registers that the subroutines know. Rows, 16 lanes' blocks, are transposed in
// registers 0 to 15 and the spare one; the state lies behind them.
var (
	spare    = z[31]
	swapped  = z[30]   // the shuffle that reverses the bytes of each word
	start    = reg.R11 // where the rounds keep the state that they start with
	constant = reg.R12
	count    = reg.R13
)

// sha compresses 16 messages at a time, one in each 32-bit lane. What the functions
// have in common are subroutines: much of what a burst costs is fetching code that
// the processor has not run of late.
func (a asm) sha() {
	s := sha{asm: a, swap: a.table("swap", swapBytes())}
	s.order = s.transposition()
	k1, k256 := a.table("k1", sha1Constants[:]), a.table("k256", sha256Constants[:])
	for _, alg := range []algorithm{
		{"SHA1x16", 5, 3, func(h *hasher) { h.sha1(k1) }},
		{"SHA256x16", 8, 4, func(h *hasher) { h.sha256(k256) }},
	} {
		h := s.hasher(alg)
		h.block()
		h.compress()
		h.outer()
		h.hmac()
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

// algorithm is a hash function with so many words of state, of which an ICV has the
// first icvWords. rounds turns the state in registers into what is added to the one
// before.
type algorithm struct {
	name     string
	words    int
	icvWords int
	rounds   func(*hasher)
}

// sha is what the hash functions share.
type sha struct {
	asm
	swap  operand.Mem
	order [16]reg.VecPhysical // where the transposition leaves words 0 to 15
}

// hasher is one block of each lane.
type hasher struct {
	sha
	algorithm
	w     [16]reg.VecPhysical
	state []reg.VecPhysical
	t     []reg.VecPhysical
}

func (s sha) hasher(alg algorithm) *hasher {
	return &hasher{sha: s, algorithm: alg, w: s.order, state: z[16:][:alg.words], t: z[16+alg.words:][:4]}
}

// subroutine begins one that only functions here call, with registers for
// parameters.
func (a asm) subroutine(name, doc string) {
	a.function(name+"<>", "func()", doc)
}

func (a asm) call(name string) { a.CALL(operand.LabelRef("·" + name + "<>(SB)")) }

// block emits the subroutine that compresses the block in w into the state.
func (h *hasher) block() {
	h.subroutine("block"+h.name, "compresses a block of each lane, its words where transpose leaves them.")
	for i, s := range h.state {
		h.VMOVDQU32(s, mem(start, 64*i))
	}
	h.rounds(h)
	for i, s := range h.state {
		h.VPADDD(mem(start, 64*i), s, s)
	}
	h.RET()
}

// compress emits a function that runs n blocks through every lane.
func (h *hasher) compress() {
	h.function("compress"+h.name, "func(l *byte, n int)", "compresses n blocks, at least one, in each lane.")
	l, n, off := h.param("l"), h.param("n"), h.GP64()
	h.VMOVDQU32(h.swap, swapped)
	for i, s := range h.state {
		h.VMOVDQU32(mem(l, laneState+64*i), s)
	}
	h.LEAQ(mem(l, laneState), start)
	h.XORQ(off, off)
	h.blocks(mem(l, laneAt), off, n)
	for i, s := range h.state {
		h.VMOVDQU32(s, mem(l, laneState+64*i))
	}
	h.VZEROUPPER()
	h.RET()
}

// blocks compresses n blocks of each lane, from an offset on.
func (h *hasher) blocks(at operand.Mem, off, n reg.Register) {
	h.Label("block")
	h.load(at, off, nil)
	h.call("transpose")
	h.call("block" + h.name)
	h.ADDQ(operand.Imm(64), off)
	h.DECQ(n)
	h.JNZ(operand.LabelRef("block"))
}

// load brings a block of each lane into the rows, or the bytes of it that a mask
// names.
func (h *hasher) load(at operand.Mem, off, mask reg.Register) {
	p := h.GP64()
	for i, row := range z[:16] {
		h.MOVQ(at.Offset(8*i), p)
		from := operand.Mem{Base: p, Index: off, Scale: 1}
		if mask == nil {
			h.VMOVDQU32(from, row)
		} else {
			h.VMOVDQU8_Z(from, mask, row)
		}
		h.VPSHUFB(swapped, row, row)
	}
}

// outer emits a function that computes the outer hash of RFC 2104 in every lane.
func (h *hasher) outer() {
	h.function("outer"+h.name, "func(o *byte)", "completes the HMAC of each lane.")
	o := h.param("o")
	h.keys(mem(o, outerKey))
	for i, s := range h.state {
		h.VMOVDQA32(h.w[8+i], s)
	}
	for i := range h.state {
		h.VMOVDQU32(mem(o, outerInner+64*i), h.w[i])
	}
	h.LEAQ(mem(o, outerStart), start)
	h.outerBlock()
	h.VMOVDQU32(h.swap, swapped)
	for i, s := range h.state {
		h.VPSHUFB(swapped, s, z[i])
	}
	h.call("transpose")
	for i, w := range h.w {
		h.VMOVDQU32(w, mem(o, outerMACs+64*i))
	}
	h.VZEROUPPER()
	h.RET()
}

// keys brings the lanes' keys into w. A schedule starts with the words of its two
// states, 16 in all: the inner ones come into words 0 to 7, the outer ones into 8
// to 15.
func (h *hasher) keys(at operand.Mem) {
	p := h.GP64()
	for i, row := range z[:16] {
		h.MOVQ(at.Offset(8*i), p)
		h.VMOVDQU32(mem(p, 0), row)
	}
	h.call("transpose")
}

// outerBlock compresses the inner hash, which is in w, with its padding and length.
func (h *hasher) outerBlock() {
	words, p := h.words, h.GP64()
	for i := words; i < 16; i++ {
		h.VPXORD(h.w[i], h.w[i], h.w[i])
	}
	for _, fixed := range []struct {
		word  int
		value uint32
	}{{words, 1 << 31}, {15, uint32(8 * (64 + 4*words))}} {
		h.MOVL(operand.U32(fixed.value), p.As32())
		h.VPBROADCASTD(p.As32(), h.w[fixed.word])
	}
	h.call("block" + h.name)
}
