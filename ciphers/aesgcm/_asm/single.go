package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Sizes of packets that are processed one by one, in registers.
const (
	maxShort  = 5         // hashed during the next packet of that size, when sealing
	maxDirect = chunk + 1 // no whole chunk: the tail takes at least two registers
)

// One packet: states in Z0 to Z8, ciphertext to be hashed in Z9 to Z16.
var (
	states = zmm[0 : chunk+1]
	sealed = zmm[9 : 9+chunk]
)

// newSum is the hash of a packet; spare is a register for scratch.
func newSum(spare reg.VecPhysical) *sum {
	return &sum{lo: reg.Z17, mi: reg.Z18, hi: reg.Z19,
		t: []reg.VecPhysical{reg.Z20, reg.Z21, reg.Z22, reg.Z23, spare, reg.Z28, reg.Z29}}
}

// singles processes the packets of a group that the quads have left.
func (k kernel) singles() {
	CMPQ(member, frame(frameEnd))
	JGE(LabelRef("hashed"))
	XORL(pending.As32(), pending.As32())
	Label("single")
	MOVQ(entry(framePacket, 1, member), packet)
	MOVQ(entry(frameSchedule, 1, member), schedule)
	k.payload(packet, schedule, length)
	startBase(packet, schedule, base)
	k.reshape(packet, length)
	k.associated(packet, aad)
	CMPQ(length, U32(64*maxShort))
	JA(LabelRef("notShort"))
	k.shorts()
	Label("notShort")
	if !k.open {
		TESTQ(pending, pending)
		JNZ(LabelRef("drain"))
	}
	VMOVDQA64(base, now)
	VPXORQ(carry, carry, carry)
	VMOVDQU64(carry, frame(frameCounter))
	CMPQ(length, U32(64*maxDirect))
	JA(LabelRef("long"))
	k.directs()
	Label("long")
	k.longs()
	Label("lastSingle")
	if !k.open {
		TESTQ(pending, pending)
		JZ(LabelRef("hashed"))
		k.drain()
	}
	Label("hashed")
}

func (k kernel) directs() {
	k.choose("direct", maxShort+1, maxDirect)
	for n := maxShort + 1; n <= maxDirect; n++ {
		Label(fmt.Sprintf("direct%d", n))
		k.direct(n)
	}
}

func (k kernel) longs() {
	k.long()
	k.choose("tail", 2, maxDirect)
	for n := 2; n <= maxDirect; n++ {
		Label(fmt.Sprintf("tail%d", n))
		k.tail(n)
	}
}

// next goes on to the next packet.
func next() {
	ADDQ(Imm(8), member)
	CMPQ(member, frame(frameEnd))
	JL(LabelRef("single"))
	JMP(LabelRef("lastSingle"))
}

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
		func() { addLengths(aad) },
	}, s.product(func(dst Op) { VMOVDQA64(aad, dst) }, lengthsLast(before, schedule))...)
}

// finish ends the cipher of registers from to to of a packet of n and writes
// them; the last of the packet is masked. to[i] may be the state itself.
func (k kernel) finish(x, to []reg.VecPhysical, from, n int) {
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for j := range x {
		i, t := from+j, reg.Z20
		if i < n-1 {
			VPXORQ(at(src, 64*i), roundKey, t)
			VAESENCLAST(t, x[j], to[j])
			VMOVDQU64(to[j], at(dst, 64*i))
			continue
		}
		VMOVDQU8_Z(at(src, 64*i), tail, t)
		VPXORQ(roundKey, t, t)
		VAESENCLAST(t, x[j], to[j])
		VMOVDQU8(to[j], tail, at(dst, 64*i))
		if !k.open {
			VMOVDQU8_Z(to[j], tail, to[j])
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

// hashes hashes registers from to from+len(blocks) of a tail whose powers are at
// that address.
func hashes(s *sum, blocks []func(Op), from int, powers reg.Register) (steps []step) {
	for j, block := range blocks {
		steps = append(steps, s.product(block, load(at(powers, power(1)+64*(from+j))))...)
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

// store keeps the hash of a packet for its tag.
func store(s *sum, member reg.Register) step {
	return func() { VMOVDQU64(s.hi, entry(frameHash, 8, member)) }
}
