package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tags folds the hashes of a group, masks them, and writes or verifies its tags.
func (k kernel) tags() {
	XORL(member.As32(), member.As32())
	Label("tags")
	var hashes [quad]reg.VecPhysical
	for i := range hashes {
		hashes[i] = zmm[i]
		VMOVDQU64(entry(frameHash+64*i, 8, member), hashes[i])
	}
	folded := fold(hashes)
	VPSHUFB(reverse, folded, folded)
	VPXORQ(entry(frameTagMask, 2, member), folded, folded)
	for i := range quad {
		k.tag(i, folded)
		ADDQ(Imm(8), member)
		CMPQ(member, frame(frameEnd))
		JGE(LabelRef("tagsDone"))
	}
	JMP(LabelRef("tags"))
	Label("tagsDone")
}

// fold adds the lanes of each register and leaves one sum a lane.
func fold(h [quad]reg.VecPhysical) reg.VecPhysical {
	t, u := reg.Z22, reg.Z23
	for i := 0; i < 4; i += 2 {
		VSHUFI64X2(U8(0x44), h[i+1], h[i], t)
		VSHUFI64X2(U8(0xee), h[i+1], h[i], u)
		VPXORQ(u, t, h[i])
	}
	VSHUFI64X2(U8(0x88), h[2], h[0], t)
	VSHUFI64X2(U8(0xdd), h[2], h[0], u)
	VPXORQ(u, t, t)
	return t
}

func (k kernel) tag(i int, tags reg.VecPhysical) {
	MOVQ(entry(framePacket, 1, member), packet)
	MOVQ(entry(frameSchedule, 1, member), reg.RAX)
	MOVWLZX(at(packet, packetOff), reg.ECX)
	ADDQ(at(packet, packetBuf), reg.RCX)
	MOVL(at(packet, packetLen), reg.EDX)
	ADDQ(reg.RDX, reg.RCX)
	tag := tags.AsX()
	if i > 0 {
		tag = reg.X20
		VEXTRACTI32X4(U8(i), tags, tag)
	}
	if k.open {
		k.verify(tag)
		return
	}
	k.write(tag)
	MOVB(U8(statusOK), at(packet, packetStatus))
}

// write stores the tag at CX. A whole one, the usual case, takes no opmask.
func (k kernel) write(tag Op) {
	short, written := k.label("shortTag"), k.label("tagWritten")
	CMPQ(at(reg.RAX, scheduleTagSize), Imm(16))
	JNE(LabelRef(short))
	VMOVDQU64(tag, at(reg.RCX, 0))
	JMP(LabelRef(written))
	Label(short)
	KMOVW(at(reg.RAX, scheduleTagMask), reg.K3)
	VMOVDQU8(tag, reg.K3, at(reg.RCX, 0))
	Label(written)
}

// verify compares the tag that ends at CX, and sets the packet's status. Only the status depends on the outcome.
func (k kernel) verify(tag Op) {
	SUBQ(at(reg.RAX, scheduleTagSize), reg.RCX)
	KMOVW(at(reg.RAX, scheduleTagMask), reg.K3)
	VMOVDQU8_Z(at(reg.RCX, 0), reg.K3, reg.X21)
	VPCMPEQB(reg.X21, tag, reg.K3, reg.K4)
	KMOVW(reg.K4, reg.ECX)
	MOVWLZX(at(reg.RAX, scheduleTagMask), reg.EDX)
	XORL(reg.EAX, reg.EAX)
	CMPL(reg.ECX, reg.EDX)
	SETNE(reg.AL)
	ADDQ(reg.RAX, frame(frameFailed))
	INCL(reg.EAX)
	MOVB(reg.AL, at(packet, packetStatus))
}
