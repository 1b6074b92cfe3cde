package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// When sealing, a step hashes the registers that have waited longest. The last chunk of
// a packet is hashed in the head and the first chunk of the next packet, whose head takes
// the place of what it hashed.

// sealHead seals a head of n registers and the chunk behind it.
func (o one) sealHead(n int) {
	s := newSum()
	before := o.waiting(s)
	o.states(n, 0)
	o.middle(n, flat(before[:n]))
	o.whole(n)
	advance(n)
	fill := append(flat(before[n:]), o.tag(s)...)
	fill = append(fill, o.associatedBefore(s, 4*n)...)
	fill = append(fill, hashBlocks(s, reversedAll(sealed[:n]))...)
	o.sealChunk(n, fill)
	ADDQ(U32(64*(n+chunk)), counterAt)
}

// sealChunks seals the chunks behind that, and leaves the last.
func (o one) sealChunks() {
	TESTQ(length, length)
	JLE(LabelRef("sealed"))
	Label("chunk")
	o.sealChunk(0, hashChunk(newSum(), sealedChunk, true))
	ADDQ(U32(64*chunk), counterAt)
	TESTQ(length, length)
	JG(LabelRef("chunk"))
	Label("sealed")
	LEAQ(Mem{Base: dst, Index: length, Scale: 1}, tagPlace)
	LEAQ(at(length, 64*chunk+15), reg.RCX)
	ANDQ(I32(-16), reg.RCX)
	MOVQ(schedule, pendingPowers)
	SUBQ(reg.RCX, pendingPowers)
	o.keepTagMask()
}

// waiting hashes the last chunk of the packet before, a register each.
func (o one) waiting(s *sum) (registers [][]step) {
	for i, block := range carriedInto(reversedAll(sealed)) {
		registers = append(registers, s.product(block, load(at(pendingPowers, power(1)+64*i))))
	}
	return registers
}

func flat(parts [][]step) (all []step) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// tag writes the tag of the packet whose hash is that sum.
func (o one) tag(s *sum) []step {
	return append(append(s.reduce(), s.fold()...), func() { o.writeTag(s.t[0].AsX()) })
}

// drain hashes the last packet's last chunk.
func (o one) drain() {
	s := newSum()
	emitAll(flat(o.waiting(s)))
	emitAll(o.tag(s))
}

// sealChunk seals a chunk whose counters begin so many registers behind counterAt.
func (o one) sealChunk(from int, fill []step) {
	o.states(chunk, from)
	o.middle(chunk, fill)
	o.whole(chunk - 1)
	o.wholeOrLast()
	advance(chunk)
}

// wholeOrLast ends the cipher of a chunk's last register.
func (o one) wholeOrLast() {
	i, t := chunk-1, reg.Z20
	whole, done := o.label("whole"), o.label("done")
	CMPQ(length, U32(64*chunk))
	JA(LabelRef(whole))
	VMOVDQU8_Z(at(src, 64*i), tail, t)
	VPXORQ(roundKey, t, t)
	VAESENCLAST(t, states[i], sealed[i])
	VMOVDQU8(sealed[i], tail, at(dst, 64*i))
	VMOVDQU8_Z(sealed[i], tail, sealed[i])
	JMP(LabelRef(done))
	Label(whole)
	VPXORQ(at(src, 64*i), roundKey, t)
	VAESENCLAST(t, states[i], sealed[i])
	VMOVDQU64(sealed[i], at(dst, 64*i))
	Label(done)
}
