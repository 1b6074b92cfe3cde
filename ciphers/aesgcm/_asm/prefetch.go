package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how many packets before its turn a packet's schedule is asked for.
// Keys that follow each other often lie nowhere near.
const ahead = 4

// prefetch asks for the round keys and as many powers of H as the packet
// in work needs, of the schedule of a later packet, if that is another one. What
// says where that schedule is came along when the border looked at the key.
func (k kernel) prefetch() {
	done := k.label("prefetched")
	CMPQ(frame(frameLeft), Imm(ahead))
	JLE(LabelRef(done))
	k.address(reg.RCX, at(order, ahead))
	MOVQ(at(reg.RCX, packetKey), reg.RDX)
	ADDQ(NewParamAddr("slot", 24), reg.RDX)
	MOVQ(at(reg.RDX, 0), reg.RDX)
	CMPQ(reg.RDX, schedule)
	JEQ(LabelRef(done))
	for line := power(8) &^ 63; line < scheduleRounds+16*(k.rounds+1); line += 64 {
		PREFETCHT0(at(reg.RDX, line))
	}
	CMPL(at(packet, packetLen), U32(128))
	JBE(LabelRef(done))
	for line := power(24) &^ 63; line < power(8)&^63; line += 64 {
		PREFETCHT0(at(reg.RDX, line))
	}
	Label(done)
}
