package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// openTail processes the last n registers of a packet that had whole chunks.
func (k kernel) openTail(n int) {
	s := newSum()
	counters(states[:n], now, reg.Z20, later)
	fill := append(k.lengths(s), hashes(s, carriedInto(receivedAll(n)), powers)...)
	k.middle(states[:n], append(fill, s.reduce()...))
	k.finish(states[:n], states[:n])
	k.verify(s)
}

// sealTail encrypts the tail while it hashes the last chunk, and leaves the tail
// to be hashed.
func (k kernel) sealTail(n int) {
	s := begunSum()
	counters(states[:n], now, reg.Z20, later)
	fill := append(hashChunk(s, sealedChunk, true), k.lengths(s)...)
	k.middle(states[:n], append(fill, k.leave(chunk+n)))
	k.finish(states[:n], sealed[:n])
}

func sealedChunk(i int) Op { return sealed[i] }

// carriedInto adds the hash of the chunks to the first register of a tail.
func carriedInto(blocks []func(Op)) []func(Op) {
	blocks[0] = plus(blocks[0], carry)
	return blocks
}

// lengths begins the hash of a tail with the length block.
func (k kernel) lengths(s *sum) []step {
	return append([]step{func() { VMOVDQU64(frame(frameLengths), s.t[0].AsX()) }},
		s.product(func(Op) {}, broadcast(at(schedule, power(1))))...)
}

// sealLastRegister is sealTail for a tail of one register, which may lack blocks
// for some lanes of a carry. So the last chunk is hashed with the powers that it
// has in the whole packet, and leaves no carry.
func (k kernel) sealLastRegister() {
	s := newSum()
	counters(states[:1], now, reg.Z20, later)
	fill := k.lengths(s)
	for i, block := range carriedInto(reversedAll(sealed)) {
		fill = append(fill, s.product(block, load(at(powers, power(1)+64*(i-chunk))))...)
	}
	k.middle(states[:1], append(fill, k.leave(chunk+1)))
	k.finish(states[:1], sealed[:1])
}
