package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mostAtOnce is how many registers a packet has at most that is processed in one
// step. Opening needs no registers for what is to be hashed, but at least two for
// a tail.
func (k kernel) mostAtOnce() int {
	if k.open {
		return chunk + 1
	}
	return chunk
}

// shorts processes a packet in one step.
func (k kernel) shorts() {
	k.choose("short", 1, k.mostAtOnce())
	for n := 1; n <= k.mostAtOnce(); n++ {
		Label(fmt.Sprintf("short%d", n))
		if k.open {
			k.openShort(n)
			continue
		}
		again := fmt.Sprintf("short%dAgain", n)
		CMPQ(pending, Imm(uint64(n)))
		JE(LabelRef(again))
		TESTQ(pending, pending)
		JNZ(LabelRef("drain"))
		k.sealShort(n, nil)
		Label(again)
		k.sealShort(n, k.shortHash(n))
	}
}

func (k kernel) openShort(n int) {
	s := newSum()
	counters(states[:n], base, reg.Z20, first)
	fill := append(k.beginning(s), hashes(s, receivedAll(n), powers)...)
	k.middle(withTag(n), append(fill, s.reduce()...))
	k.endTag()
	k.finish(states[:n], states[:n])
	k.verify(s)
	next()
}

// sealShort leaves the packet to be hashed.
func (k kernel) sealShort(n int, before []step) {
	counters(states[:n], base, reg.Z20, first)
	fill := append(before, k.beginning(newSum())...)
	k.middle(withTag(n), append(fill, k.leave(n)))
	k.endTag()
	k.finish(states[:n], sealed[:n])
	next()
}

// withTag are the states of a first step of n registers.
func withTag(n int) []reg.VecPhysical {
	return append(states[:n:n], tagState)
}
