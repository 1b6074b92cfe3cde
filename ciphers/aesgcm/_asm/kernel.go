package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel is one function: a burst, in one direction, for one key size.
//
// It takes packets of any size one after the other, those of up to chunk
// registers in one step, others in steps of a whole chunk and a tail. When
// sealing, the last step of a packet is hashed in the first of the next packet,
// so that the units for AES and for hashing have something to do at the same time.
// The first counter block of a packet is encrypted with its first step.
type kernel struct {
	name   string
	rounds int
	open   bool
	oneKey bool // see one
	labels *int
}

func (k kernel) label(name string) string {
	*k.labels++
	return fmt.Sprintf("%s%d", name, *k.labels)
}

func (k kernel) emit() {
	k.labels = new(int)
	TEXT(k.name, 0, "func(packets, order *byte, count, slot int, folded *byte, oneShape int) (taken, ok int)")
	Pragma("noescape")
	AllocLocal(frameSize)
	k.start()
	Label("packet")
	k.find()
	CMPQ(length, U32(64*k.mostAtOnce()))
	JA(LabelRef("long"))
	k.shorts()
	k.longs()
	Label("last")
	if !k.open {
		k.drain()
	}
	k.done()
	k.stop()
}

// done returns how many packets were taken, and how many of them are StatusOK.
func (k kernel) done() {
	MOVQ(frame(frameTaken), reg.RAX)
	Store(reg.RAX, Return("taken"))
	SUBQ(frame(frameFailed), reg.RAX)
	Store(reg.RAX, Return("ok"))
	VZEROUPPER()
	RET()
}

func (k kernel) start() {
	Load(Param("order"), order)
	Load(Param("count"), reg.RAX)
	MOVQ(reg.RAX, frame(frameLeft))
	MOVQ(reg.RAX, frame(frameTaken))
	XORL(reg.EAX, reg.EAX)
	MOVQ(reg.RAX, frame(frameFailed))
	MOVQ(reg.RAX, frame(frameSettled))
	XORL(pending.As32(), pending.As32())
	DECQ(reg.RAX)
	MOVQ(reg.RAX, frame(frameShapeLen))
	VMOVDQU64(reverseTable, reverse)
	MOVL(U32(0xf000), reg.EAX)
	KMOVW(reg.EAX, fourth)
	setNonceWords()
}

// find finds the parts of the packet whose turn it is.
func (k kernel) find() {
	k.address(packet, at(order, 0))
	MOVQ(at(packet, packetKey), schedule)
	ADDQ(NewParamAddr("slot", 24), schedule)
	MOVQ(at(schedule, 0), schedule)
	k.prefetch()
	k.payload(packet, length)
	startBase(packet, schedule, base)
	VPXORQ(firstTable, base.AsX(), tagState.AsX())
	k.reshape(packet, length)
	if k.open {
		LEAQ(Mem{Base: src, Index: length, Scale: 1}, tagPlace)
	} else {
		MOVB(U8(statusOK), at(packet, packetStatus))
	}
}

// address finds the descriptor that an index names.
func (k kernel) address(to reg.GPPhysical, index Mem) {
	MOVBLZX(index, to.As32())
	SHLQ(Imm(packetShift), to)
	ADDQ(NewParamAddr("packets", 0), to)
}

// next goes on to the next packet.
func next() {
	INCQ(order)
	DECQ(frame(frameLeft))
	JNZ(LabelRef("packet"))
	JMP(LabelRef("last"))
}
