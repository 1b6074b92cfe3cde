package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// When sealing, packets of up to maxDouble registers that are too long for one
// step take two of equal size rather than a whole chunk and a small tail: what
// is hashed in a step is then about as much as what is encrypted.
const maxDouble = 2*chunk - 2

// double is one such length: first registers and then rest.
type double struct {
	kernel
	n, first, rest int
}

// doubles processes such a packet.
func (k kernel) doubles() {
	CMPQ(length, U32(64*maxDouble))
	JA(LabelRef("chunks"))
	k.choose("double", chunk+1, maxDouble)
	for n := chunk + 1; n <= maxDouble; n++ {
		d := double{k, n, (n + 1) / 2, n / 2}
		d.seal()
	}
	Label("chunks")
}

// pendingDouble is what is pending of n registers in two steps.
func pendingDouble(n int) int { return 2*chunk + n }

// seal leaves the second step to be hashed.
func (d double) seal() {
	label := fmt.Sprintf("double%d", d.n)
	Label(label)
	CMPQ(pending, Imm(uint64(pendingDouble(d.n))))
	JE(LabelRef(label + "Again"))
	TESTQ(pending, pending)
	JNZ(LabelRef("drain"))
	d.firstStep(nil)
	JMP(LabelRef(label + "Rest"))
	Label(label + "Again")
	d.firstStep(d.hash())
	Label(label + "Rest")
	d.secondStep()
	next()
}

func (d double) firstStep(fill []step) {
	d.counters(0, d.first)
	d.middle(withTag(d.first), fill)
	d.endTag()
	d.whole(d.first)
	advance(d.first)
	findPowers()
}

func (d double) secondStep() {
	s := newSum()
	d.counters(d.first, d.rest)
	fill := append(d.hashFirst(s), d.leave(pendingDouble(d.n)))
	d.middle(states[:d.rest], fill)
	d.finish(states[:d.rest], sealed[:d.rest])
}

// hashFirst hashes associated data, lengths and the first step.
func (d double) hashFirst(s *sum) []step {
	if d.direct() {
		fill := d.beginning(s)
		for i, block := range reversedAll(sealed[:d.first]) {
			fill = append(fill, s.product(block, load(at(powers, power(1)+64*i)))...)
		}
		fill = append(fill, s.settle()...)
		return append(fill, func() { ADDQ(U32(64*d.first), powers) })
	}
	fill := append(d.associatedBefore(s, 4*d.first), hashBlocks(s, reversedAll(sealed[:d.first]))...)
	return append(fill, d.lengths(s)...)
}

// direct says that there are enough powers of H for the whole packet.
func (d double) direct() bool { return 4*d.n+4 <= numPowers }

// hash hashes the second step and writes the tag.
func (d double) hash() []step {
	s := begunSum()
	blocks := reversedAll(sealed[:d.rest])
	if !d.direct() {
		blocks = carriedInto(blocks)
	}
	return d.pendingHash(s, blocks)
}

// counters sets states to counter blocks from register from of the packet on.
func (d double) counters(from, n int) {
	for i, x := range states[:n] {
		VPXORQ(furtherTable.Offset(64*(from+i)), base, x)
	}
}
