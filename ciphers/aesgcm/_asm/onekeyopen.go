package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// When opening, a step hashes what it decrypts.

// openHead opens a head of n registers.
func (o one) openHead(n int) {
	s := newSum()
	o.receive(n)
	o.states(n, 0)
	o.middle(n, append(o.associatedBefore(s, 4*n), hashBlocks(s, reversedAll(sealed[:n]))...))
	o.decrypted(n)
	advance(n)
	ADDQ(U32(64*n), counterAt)
}

// openChunks opens the chunks behind that.
func (o one) openChunks() {
	Label("chunk")
	CMPQ(length, U32(64*chunk))
	JBE(LabelRef("lastChunk"))
	o.receive(chunk)
	o.states(chunk, 0)
	o.middle(chunk, hashChunk(newSum(), sealedChunk, true))
	o.decrypted(chunk)
	advance(chunk)
	ADDQ(U32(64*chunk), counterAt)
	JMP(LabelRef("chunk"))
	Label("lastChunk")
	findPowers()
	s, last := newSum(), chunk-1
	o.receive(last)
	VMOVDQU8_Z(at(src, 64*last), tail, sealed[last])
	o.states(chunk, 0)
	fill := hashes(s, carriedInto(reversedAll(sealed)), powers)
	o.middle(chunk, append(fill, s.reduce()...))
	o.decrypted(last)
	VPXORQ(sealed[last], roundKey, roundKey)
	VAESENCLAST(roundKey, states[last], states[last])
	VMOVDQU8(states[last], tail, at(dst, 64*last))
	o.verify(s)
}

// receive loads n registers of ciphertext.
func (o one) receive(n int) {
	for i, r := range sealed[:n] {
		VMOVDQU64(at(src, 64*i), r)
	}
}

// decrypted ends the cipher of n whole registers and writes them.
func (o one) decrypted(n int) {
	VBROADCASTI32X4(key(schedule, o.rounds), roundKey)
	for i, x := range states[:n] {
		VPXORQ(sealed[i], roundKey, reg.Z20)
		VAESENCLAST(reg.Z20, x, x)
		VMOVDQU64(x, at(dst, 64*i))
	}
}
