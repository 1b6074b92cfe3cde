package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group makes the bases and tag masks of the next packets. It ends the call before a
// packet of another key.
func (o one) group() {
	aligned := reg.RAX
	Label("group")
	o.nonces()
	MOVQ(frame(oneAligned), aligned)
	x := states[:oneInGroup/quad]
	VBROADCASTI32X4(key(schedule, 0), roundKey)
	for _, x := range x {
		VMOVDQU32_Z(x, nonceWords, x)
		VPXORQ(roundKey, x, x)
	}
	VBROADCASTI32X4(key(schedule, 1), roundKey)
	VBROADCASTI32X4(at(aligned, oneFirst), reg.Z20)
	for i, x := range x {
		VAESENC(roundKey, x, x)
		VMOVDQU64(x, at(aligned, oneBases+64*i))
		VPXORQ(reg.Z20, x, x)
	}
	o.middle(len(x), nil)
	VBROADCASTI32X4(key(schedule, o.rounds), roundKey)
	for i, x := range x {
		VAESENCLAST(roundKey, x, x)
		VMOVDQU64(x, at(aligned, oneMasks+64*i))
	}
	MOVQ(aligned, frame(oneSlot))
	LEAQ(at(aligned, 16*oneInGroup), reg.RCX)
	MOVQ(reg.RCX, frame(oneSlotEnd))
	if !o.open {
		o.groupMasks()
	}
	MOVQ(frame(oneSlot), reg.RAX)
	JMP(LabelRef("grouped"))
}

// nonces gathers the nonces of the group, up to a packet that has another key.
func (o one) nonces() {
	p := reg.RAX
	for i := range oneInGroup {
		if i > 0 {
			CMPQ(frame(frameLeft), Imm(uint64(i)))
			JLE(LabelRef("nonces"))
		}
		o.address(p, at(order, i))
		MOVQ(at(p, packetKey), reg.RCX)
		CMPQ(reg.RCX, frame(oneKey))
		JNE(LabelRef(fmt.Sprintf("otherKey%d", i)))
		insert(i%quad, at(p, packetNonce), states[i/quad])
	}
	JMP(LabelRef("nonces"))
	Label("otherKey0")
	JMP(LabelRef("stop"))
	for i := 1; i < oneInGroup; i++ {
		Label(fmt.Sprintf("otherKey%d", i))
		MOVL(U32(i), reg.ECX)
		if i < oneInGroup-1 {
			JMP(LabelRef("otherKey"))
		}
	}
	Label("otherKey")
	MOVQ(frame(frameLeft), reg.RAX)
	SUBQ(reg.RCX, reg.RAX)
	SUBQ(reg.RAX, frame(frameTaken))
	MOVQ(reg.RCX, frame(frameLeft))
	Label("nonces")
}
