package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// masks makes the header-protection masks of a group that is sealed, a quad at a
// time, while its samples are still in the first-level cache. A nil destination
// asks for none.
func (k kernel) masks() {
	to := reg.RBX
	Load(Param("masks"), to)
	TESTQ(to, to)
	JZ(LabelRef("masked"))
	Load(Param("packets"), reg.RDI)
	XORL(member.As32(), member.As32())
	Label("masks")
	for lane := range quad {
		k.sample(lane)
	}
	k.maskRounds()
	for lane := range quad {
		k.writeMask(lane, to)
	}
	ADDQ(Imm(8*quad), member)
	CMPQ(member, frame(frameEnd))
	JL(LabelRef("masks"))
	Label("masked")
}

// sample loads the sample and finds the mask key of a member of the quad.
func (k kernel) sample(lane int) {
	MOVQ(entry(framePacket+8*lane, 1, member), packet)
	MOVQ(at(packet, packetMaskKey), reg.RCX)
	MOVQ(at(reg.RCX, keySchedule), quadSchedule[lane])
	MOVWLZX(at(packet, packetSampleOff), reg.ECX)
	ADDQ(at(packet, packetBuf), reg.RCX)
	if lane == 0 {
		VMOVDQU(at(reg.RCX, 0), maskState.AsX())
	} else {
		VINSERTI32X4(U8(lane), at(reg.RCX, 0), maskState, maskState)
	}
}

// maskRounds encrypts the samples. Mask keys have their round keys at the start
// of the schedule.
func (k kernel) maskRounds() {
	one, done := k.label("oneMaskKey"), k.label("maskMade")
	k.sameKeys(one)
	k.encrypt(func(round int, dst reg.VecPhysical) {
		var m [quad]Mem
		for lane, s := range quadSchedule {
			m[lane] = at(s, 16*round)
		}
		gather(m, dst)
	})
	JMP(LabelRef(done))
	Label(one)
	k.encrypt(func(round int, dst reg.VecPhysical) { VBROADCASTI32X4(at(quadSchedule[0], 16*round), dst) })
	Label(done)
}

func (k kernel) encrypt(load func(round int, dst reg.VecPhysical)) {
	load(0, roundKey)
	VPXORQ(roundKey, maskState, maskState)
	k.restOfRounds(load)
}

// writeMask writes a lane's mask to the place of its packet.
func (k kernel) writeMask(lane int, to reg.Register) {
	MOVQ(entry(framePacket+8*lane, 1, member), packet)
	SUBQ(reg.RDI, packet)
	SHRQ(Imm(packetShift-maskShift), packet)
	m := Mem{Base: to, Index: packet, Scale: 1}
	if lane == 0 {
		VMOVDQU(maskState.AsX(), m)
	} else {
		VEXTRACTI32X4(U8(lane), maskState, m)
	}
}

// maskShift is how far a packet's position is shifted for the place of its mask.
const maskShift = 4
