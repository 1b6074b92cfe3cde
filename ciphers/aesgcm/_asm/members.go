package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maskState is the AES state of the tag masks.
var maskState = reg.Z4

// members lists the descriptors and schedules of a group and makes its tag
// masks, a quad at a time. An incomplete quad repeats the last packet.
func (k kernel) members() {
	order, last := reg.RBX, reg.RDX
	MOVQ(frame(frameOrder), order)
	MOVQ(frame(frameLeft), last)
	MOVL(U32(group), reg.EAX)
	CMPQ(last, reg.RAX)
	CMOVQGT(reg.RAX, last)
	LEAQ(Mem{Base: last, Index: last, Scale: 1}, reg.RAX)
	SHLQ(Imm(2), reg.RAX)
	MOVQ(reg.RAX, frame(frameEnd))
	DECQ(last)
	XORL(member.As32(), member.As32())
	XORL(reg.R14L, reg.R14L)
	Load(Param("slot"), reg.RSI)
	Load(Param("packets"), reg.RDI)

	Label("members")
	XORL(reg.R15.As32(), reg.R15.As32())
	for lane := range quadSchedule {
		k.member(lane, order, last)
	}
	MOVQ(reg.R15, entry(frameLongest, 2, reg.R8))
	k.tagMasks()
	VMOVDQU64(maskState, entry(frameTagMask, 2, member))
	ADDQ(Imm(8*quad), member)
	CMPQ(member, frame(frameEnd))
	JL(LabelRef("members"))
}

// member adds a packet to the quad. R15 keeps the longest payload, R14
// the schedule before.
func (k kernel) member(lane int, order, last reg.GPPhysical) {
	schedule, n := quadSchedule[lane], reg.RCX
	if lane == 0 {
		MOVQ(member, reg.R8)
		SHRQ(Imm(3), reg.R8)
		MOVQ(reg.R8, reg.RAX)
	} else {
		LEAQ(at(reg.R8, lane), reg.RAX)
		CMPQ(reg.RAX, last)
		CMOVQGT(last, reg.RAX)
	}
	MOVBLZX(Mem{Base: order, Index: reg.RAX, Scale: 1}, reg.EAX)
	SHLQ(Imm(packetShift), reg.RAX)
	ADDQ(reg.RDI, reg.RAX)
	MOVQ(reg.RAX, entry(framePacket+8*lane, 1, member))
	MOVQ(at(reg.RAX, packetKey), n)
	MOVQ(Mem{Base: n, Index: reg.RSI, Scale: 1}, schedule)
	MOVQ(schedule, entry(frameSchedule+8*lane, 1, member))
	k.prefetch(schedule, reg.R14)
	MOVL(at(reg.RAX, packetLen), n.As32())
	if k.open {
		SUBQ(at(schedule, scheduleTagSize), n)
	}
	CMPQ(n, reg.R15)
	CMOVQGT(n, reg.R15)
	if lane == 0 {
		VMOVDQU(at(reg.RAX, packetNonce), maskState.AsX())
	} else {
		VINSERTI32X4(U8(lane), at(reg.RAX, packetNonce), maskState, maskState)
	}
}

// prefetch asks for the powers of H that packets of up to 256 bytes use; the tag
// masks ask for the round keys. It does nothing when
// the packet before had the same key.
func (k kernel) prefetch(schedule, before reg.GPPhysical) {
	same := k.label("sameSchedule")
	CMPQ(schedule, before)
	JEQ(LabelRef(same))
	for line := power(20); line < scheduleTagMask; line += 64 {
		PREFETCHT0(at(schedule, line))
	}
	MOVQ(schedule, before)
	Label(same)
}

// tagMasks encrypts the first counter blocks of a quad.
func (k kernel) tagMasks() {
	one, done := k.label("oneKey"), k.label("masked")
	k.sameKeys(one)
	k.encryptFirst(gatherKey)
	JMP(LabelRef(done))
	Label(one)
	k.encryptFirst(func(round int, dst reg.VecPhysical) {
		VBROADCASTI32X4(key(quadSchedule[0], round), dst)
	})
	Label(done)
}

// sameKeys jumps when the four schedules are one.
func (k kernel) sameKeys(label string) {
	XORL(reg.EAX, reg.EAX)
	for _, s := range quadSchedule[1:] {
		MOVQ(s, reg.RCX)
		XORQ(quadSchedule[0], reg.RCX)
		ORQ(reg.RCX, reg.RAX)
	}
	JZ(LabelRef(label))
}

func (k kernel) encryptFirst(load func(round int, dst reg.VecPhysical)) {
	load(0, roundKey)
	VPTERNLOGQ(U8(0x6c), nonceTable, roundKey, maskState) // (nonce AND 12 bytes) XOR key
	VPXORQ(firstTable, maskState, maskState)
	k.restOfRounds(load)
}

// restOfRounds encrypts what the first round key is added to.
func (k kernel) restOfRounds(load func(round int, dst reg.VecPhysical)) {
	for r := 1; r < k.rounds; r++ {
		load(r, roundKey)
		VAESENC(roundKey, maskState, maskState)
	}
	load(k.rounds, roundKey)
	VAESENCLAST(roundKey, maskState, maskState)
}
