package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fold adds the lanes of a reduced sum, and leaves their sum in the byte order of
// the wire in the first of t.
func (s *sum) fold() []step {
	t, u := s.t[0], s.t[1]
	return []step{
		func() { VEXTRACTI64X4(U8(1), s.hi, t.AsY()) },
		func() { VPXORQ(s.hi.AsY(), t.AsY(), t.AsY()) },
		func() { VEXTRACTI32X4(U8(1), t.AsY(), u.AsX()) },
		func() { VPXORQ(u.AsX(), t.AsX(), t.AsX()) },
		func() { VPSHUFB(reverse.AsX(), t.AsX(), t.AsX()) },
	}
}

// endTag keeps the tag mask of the packet in work and, when sealing, where its tag
// goes and which bytes of it. It comes before advance, when dst and length are still
// those of the whole payload.
func (k kernel) endTag() {
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	VAESENCLAST(roundKey, tagState, tagState)
	VMOVDQU64(tagState.AsX(), frame(frameTagMask))
	if k.open {
		return
	}
	LEAQ(Mem{Base: dst, Index: length, Scale: 1}, tagPlace)
	tagSize(packet, reg.RAX)
	MOVQ(reg.RAX, frame(frameTagSize))
}

// writeTag masks and stores a hash. A whole tag, the usual case, takes no opmask.
func (k kernel) writeTag(hash Op) {
	short, written := k.label("shortTag"), k.label("tagWritten")
	VPXORQ(frame(frameTagMask), hash, hash)
	CMPQ(frame(frameTagSize), Imm(16))
	JNE(LabelRef(short))
	VMOVDQU64(hash, at(tagPlace, 0))
	JMP(LabelRef(written))
	Label(short)
	MOVQ(frame(frameTagSize), reg.RAX)
	tagMask(reg.RAX, reg.K3)
	VMOVDQU8(hash, reg.K3, at(tagPlace, 0))
	Label(written)
}

// verify compares the tag received with the sum, and sets the packet's status.
// Only the status depends on the outcome.
func (k kernel) verify(s *sum) {
	emitAll(s.fold())
	tag := s.t[0].AsX()
	VPXORQ(frame(frameTagMask), tag, tag)
	tagSize(packet, reg.RDX)
	tagMask(reg.RDX, reg.K3)
	VMOVDQU8_Z(at(tagPlace, 0), reg.K3, reg.X21)
	VPCMPEQB(reg.X21, tag, reg.K3, reg.K4)
	KMOVW(reg.K4, reg.ECX)
	XORL(reg.EAX, reg.EAX)
	CMPL(reg.ECX, reg.EDX)
	SETNE(reg.AL)
	ADDQ(reg.RAX, frame(frameFailed))
	INCL(reg.EAX)
	MOVB(reg.AL, at(packet, packetStatus))
}

// tagMask makes n, a number of bytes, a bit for each of them, and an opmask of those.
func tagMask(n reg.GPPhysical, mask reg.Register) {
	MOVL(U32(0xffff), reg.ECX)
	BZHIL(n.As32(), reg.ECX, n.As32())
	KMOVW(n.As32(), mask)
}
