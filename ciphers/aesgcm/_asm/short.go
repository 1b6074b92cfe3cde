package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shorts processes a packet of up to maxShort registers. When sealing, its
// ciphertext is hashed between the rounds of the next one if that is as long.
func (k kernel) shorts() {
	k.choose("short", 1, maxShort)
	for n := 1; n <= maxShort; n++ {
		Label(fmt.Sprintf("short%d", n))
		if k.open {
			k.openShort(n)
		} else {
			k.sealShort(n)
		}
		next()
	}
}

func (k kernel) openShort(n int) {
	s := newSum(now)
	counters(states[:n], base, reg.Z20)
	fill := k.beginning(s)
	fill = append(fill, hashes(s, receivedAll(n), 0, powers)...)
	fill = append(fill, s.reduce()...)
	k.middle(states[:n], append(fill, store(s, member)))
	k.finish(states[:n], states[:n], 0, n)
}

func (k kernel) sealShort(n int) {
	s := newSum(now)
	again := fmt.Sprintf("short%dAgain", n)
	CMPQ(pending, Imm(uint64(n)))
	JE(LabelRef(again))
	TESTQ(pending, pending)
	JNZ(LabelRef("drain"))
	MOVL(U32(n), pending.As32()) // the first of its size finds nothing to hash
	MOVQ(schedule, pendingPowers)
	MOVQ(member, pendingMember)
	Label(again)
	counters(states[:n], base, reg.Z20)
	fill := append(k.pendingHash(s, n), k.beginning(s)...)
	k.middle(states[:n], append(fill,
		func() { MOVQ(member, pendingMember) },
		func() { MOVQ(powers, pendingPowers) }))
	k.finish(states[:n], sealed[:n], 0, n)
}

// pendingHash hashes what the packet before left and keeps its hash.
func (k kernel) pendingHash(s *sum, n int) []step {
	s.begun = true
	fill := hashes(s, reversedAll(sealed[:n]), 0, pendingPowers)
	return append(append(fill, s.reduce()...), store(s, pendingMember))
}

// drain hashes what is pending and goes back to the packet in work, if any.
func (k kernel) drain() {
	Label("drain")
	for n := 1; n <= maxShort; n++ {
		other := k.label("drainMore")
		CMPQ(pending, Imm(uint64(n)))
		JNE(LabelRef(other))
		emitAll(k.pendingHash(newSum(now), n))
		Label(other)
	}
	XORL(pending.As32(), pending.As32())
	CMPQ(member, frame(frameEnd))
	JL(LabelRef("single"))
}
