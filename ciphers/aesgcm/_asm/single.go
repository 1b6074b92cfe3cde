package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// One packet: states in Z0 to Z7 and Z16, ciphertext to be hashed in Z9 to Z16.
var (
	states = append(zmm[0:chunk:chunk], reg.Z16)
	sealed = zmm[9 : 9+chunk]
)

// newSum is the hash of a packet.
func newSum() *sum {
	return &sum{lo: reg.Z17, mi: reg.Z18, hi: reg.Z19,
		t: []reg.VecPhysical{reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z8, reg.Z28, reg.Z29}}
}

// begunSum is one that holds what an earlier step left in it, or nothing.
func begunSum() *sum {
	s := newSum()
	s.begun = true
	return s
}

// clear has a sum hold nothing.
func (s *sum) clear() (steps []step) {
	for _, r := range []reg.VecPhysical{s.lo, s.mi, s.hi} {
		steps = append(steps, func() { clearRegister(r) })
	}
	return steps
}

func clearRegister(r reg.VecPhysical) { VPXORD(r, r, r) }

// choose jumps by the registers in length, from to to of them. It is a tree of
// comparisons; bursts in order of size predict it.
func (k kernel) choose(label string, from, to int) {
	if from == to {
		JMP(LabelRef(fmt.Sprintf("%s%d", label, from)))
		return
	}
	mid := (from + to) / 2
	upper := k.label(label + "Above")
	CMPQ(length, U32(64*mid))
	JA(LabelRef(upper))
	k.choose(label, from, mid)
	Label(upper)
	k.choose(label, mid+1, to)
}

// beginning hashes the associated data and lengths of a packet without chunks.
func (k kernel) beginning(s *sum) []step {
	s.begun = false
	before := reg.RAX
	return append([]step{
		func() { shapePowers(schedule, powers) },
		func() { MOVQ(powers, before) },
		func() { SUBQ(frame(frameShapeAAD), before) },
	}, s.product(func(dst Op) {
		k.associated(packet, dst)
		addLengths(dst)
	}, lengthsLast(before, schedule))...)
}

// finish ends the cipher of the last registers of a packet and writes them; the
// last is masked. to[i] may be the state itself.
func (k kernel) finish(x, to []reg.VecPhysical) {
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for i, n := 0, len(x); i < n; i++ {
		t := reg.Z20
		if i < n-1 {
			VPXORQ(at(src, 64*i), roundKey, t)
			VAESENCLAST(t, x[i], to[i])
			VMOVDQU64(to[i], at(dst, 64*i))
			continue
		}
		VMOVDQU8_Z(at(src, 64*i), tail, t)
		VPXORQ(roundKey, t, t)
		VAESENCLAST(t, x[i], to[i])
		VMOVDQU8(to[i], tail, at(dst, 64*i))
		if !k.open {
			VMOVDQU8_Z(to[i], tail, to[i])
		}
	}
}

// received loads register i of n of ciphertext.
func received(i, n int) func(Op) {
	if i < n-1 {
		return reversed(at(src, 64*i))
	}
	return func(dst Op) {
		VMOVDQU8_Z(at(src, 64*i), tail, dst)
		VPSHUFB(reverse, dst, dst)
	}
}

// hashes hashes the last registers of a packet, whose powers are at that address.
func hashes(s *sum, blocks []func(Op), powers reg.Register) (steps []step) {
	for i, block := range blocks {
		steps = append(steps, s.product(block, load(at(powers, power(1)+64*i)))...)
	}
	return steps
}

// plus adds before to the blocks.
func plus(blocks func(Op), before Op) func(Op) {
	return func(dst Op) {
		blocks(dst)
		VPXORQ(before, dst, dst)
	}
}

func reversedAll(x []reg.VecPhysical) (blocks []func(Op)) {
	for _, r := range x {
		blocks = append(blocks, reversed(r))
	}
	return blocks
}

func receivedAll(n int) (blocks []func(Op)) {
	for i := range n {
		blocks = append(blocks, received(i, n))
	}
	return blocks
}
