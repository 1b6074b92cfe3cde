package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// leave says that the packet in work is pending.
func (k kernel) leave(what int) step {
	return func() {
		MOVL(U32(what), pending.As32())
		MOVQ(powers, pendingPowers)
	}
}

// shortHash hashes what a short packet left and writes its tag; tailHash does so
// for a tail.
func (k kernel) shortHash(n int) []step {
	s := begunSum()
	return k.pendingHash(s, reversedAll(sealed[:n]))
}

func (k kernel) tailHash(n int) []step {
	s := begunSum()
	blocks := reversedAll(sealed[:n])
	if n > 1 {
		blocks = carriedInto(blocks)
	}
	return k.pendingHash(s, blocks)
}

func (k kernel) pendingHash(s *sum, blocks []func(Op)) []step {
	fill := hashes(s, blocks, pendingPowers)
	fill = append(append(fill, s.reduce()...), s.fold()...)
	return append(fill, func() { k.writeTag(s.t[0].AsX()) })
}

// pendingTails jumps by the tail that is pending.
func (k kernel) pendingTails() {
	TESTQ(pending, pending)
	JZ(LabelRef("after0"))
	for n := 1; n <= chunk; n++ {
		CMPQ(pending, Imm(uint64(chunk+n)))
		JEQ(LabelRef(fmt.Sprintf("after%d", n)))
	}
	JMP(LabelRef("drain"))
}

// drain hashes what is pending and goes back to the packet in work, if any.
func (k kernel) drain() {
	Label("drain")
	for n := 1; n <= chunk; n++ {
		k.drainOne(n, k.shortHash(n))
		k.drainOne(chunk+n, k.tailHash(n))
	}
	for n := chunk + 1; n <= maxDouble; n++ {
		k.drainOne(pendingDouble(n), double{k, n, (n + 1) / 2, n / 2}.hash())
	}
	Label("drained")
	XORL(pending.As32(), pending.As32())
	CMPQ(frame(frameLeft), Imm(0))
	JNE(LabelRef("packet"))
}

func (k kernel) drainOne(what int, hash []step) {
	other := k.label("drainMore")
	CMPQ(pending, Imm(uint64(what)))
	JNE(LabelRef(other))
	emitAll(hash)
	JMP(LabelRef("drained"))
	Label(other)
}
