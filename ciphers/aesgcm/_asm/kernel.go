package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is one function: a burst, in one direction, for one key size.
//
// It takes packets in groups of 16 and goes over each group three times. First
// it makes the tag masks, the encryptions of the first counter blocks, four in a
// register. Then it encrypts and hashes: quads of packets of at most one
// register in step, others one by one, always with the hash of something else
// between the rounds of AES. Last it folds the hashes and makes the tags, again
// four in a register.
type kernel struct {
	name   string
	rounds int
	open   bool
	labels *int
}

func (k kernel) label(name string) string {
	*k.labels++
	return fmt.Sprintf("%s%d", name, *k.labels)
}

func (k kernel) emit() {
	k.labels = new(int)
	signature := "func(packets, order *byte, count, slot int, folded, masks *byte) int"
	if k.open {
		signature = "func(packets, order *byte, count, slot int, folded *byte) int"
	}
	TEXT(k.name, 0, signature)
	Pragma("noescape")
	AllocLocal(frameSize)
	k.start()
	Label("group")
	k.members()
	k.quads()
	k.singles()
	k.tags()
	if !k.open {
		k.masks()
	}
	ADDQ(Imm(group), frame(frameOrder))
	SUBQ(Imm(group), frame(frameLeft))
	JG(LabelRef("group"))

	Load(Param("count"), reg.RAX)
	SUBQ(frame(frameFailed), reg.RAX)
	Store(reg.RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func (k kernel) start() {
	Load(Param("order"), reg.RAX)
	MOVQ(reg.RAX, frame(frameOrder))
	Load(Param("count"), reg.RAX)
	MOVQ(reg.RAX, frame(frameLeft))
	MOVQ(I32(0), frame(frameFailed))
	MOVQ(I32(-1), frame(frameShapeLen))
	VMOVDQU64(reverseTable, reverse)
	VMOVDQU64(polynomial, poly)
	MOVL(U32(0xf000), reg.EAX)
	KMOVW(reg.EAX, fourth)
}
