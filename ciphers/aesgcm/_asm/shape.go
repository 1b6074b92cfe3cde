package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The shape of a packet is the length of its payload and where and how long its
// associated data are. What follows from it, opmasks and the length block, stays
// until a packet of another shape comes.

// reshape makes the packet's shape the current one if it is not. n is the length
// of its payload.
func (k kernel) reshape(packet, n reg.GPPhysical) {
	other, same := k.label("otherShape"), k.label("sameShape")
	whole, ranged := reg.RCX, reg.RDX
	MOVQ(at(packet, packetPrefixLen), whole)
	MOVWLZX(at(packet, packetAADLen), ranged.As32())
	CMPQ(n, frame(frameShapeLen))
	JNE(LabelRef(other))
	CMPQ(whole, frame(frameShapePrefix))
	JNE(LabelRef(other))
	CMPQ(ranged, frame(frameShapeRange))
	JEQ(LabelRef(same))
	Label(other)
	CMPQ(frame(frameSettled), Imm(0))
	JNE(LabelRef("stop"))
	MOVQ(n, frame(frameShapeLen))
	MOVQ(whole, frame(frameShapePrefix))
	MOVQ(ranged, frame(frameShapeRange))
	TESTQ(ranged, ranged)
	CMOVQNE(ranged, whole)
	k.shapeAAD(packet, whole)
	shapeLengths(whole, n)
	if k.oneKey {
		one{k}.hashLengths()
	}
	shapePayload(n)
	Load(Param("oneShape"), reg.RAX)
	MOVQ(reg.RAX, frame(frameSettled))
	Label(same)
}

// stop ends a call before a packet that is not for it, as one of another shape in a call
// for one.
func (k kernel) stop() {
	Label("stop")
	MOVQ(frame(frameLeft), reg.RAX)
	SUBQ(reg.RAX, frame(frameTaken))
	MOVQ(I32(0), frame(frameLeft))
	JMP(LabelRef("last"))
}

// shapeAAD sets the mask of associated data, the bytes that their blocks take,
// and where they are if not where the packet says.
func (k kernel) shapeAAD(packet, whole reg.GPPhysical) {
	part, bytes, from := reg.RAX, reg.R14, reg.RDX
	LEAQ(frame(frameLeft), from) // readable
	XORL(part.As32(), part.As32())
	TESTQ(whole, whole)
	CMOVQNE(part, from)
	MOVQ(whole, part)
	k.folded(packet, whole, part, from, func() { MOVQ(I32(-1), frame(frameShapeLen)) })
	MOVQ(from, frame(frameShapeFrom))
	MOVQ(I32(-1), bytes)
	BZHIQ(part, bytes, bytes)
	KMOVQ(bytes, aadBytes)
	ADDQ(Imm(15), part)
	ANDQ(I32(-16), part)
	MOVQ(part, frame(frameShapeAAD))
}

// folded takes the associated data from the table of those that are longer or
// in two pieces, if it has the packet. It emits found where there is a table.
func (k kernel) folded(packet, whole, part, from reg.GPPhysical, found func()) {
	done, entry := k.label("inOnePiece"), reg.R14
	Load(Param("folded"), entry)
	TESTQ(entry, entry)
	JZ(LabelRef(done))
	found()
	packets := NewParamAddr("packets", 0)
	SUBQ(packets, packet)
	SHRQ(Imm(packetShift-foldedShift), packet)
	ADDQ(packet, entry)
	SHLQ(Imm(packetShift-foldedShift), packet)
	ADDQ(packets, packet)
	CMPQ(at(entry, foldedLen), Imm(0))
	JE(LabelRef(done))
	MOVQ(entry, from)
	MOVQ(at(entry, foldedLen), whole)
	MOVL(U32(16), part.As32())
	Label(done)
}

// An entry of the table of folded associated data: a block, and the length.
const (
	foldedShift = 5
	foldedLen   = 16
)

// shapeLengths keeps the length block in the byte order of GHASH. It is stored
// whole, since a load cannot be forwarded from two stores.
func shapeLengths(whole, n reg.GPPhysical) {
	block := reg.X20
	SHLQ(Imm(32+3), whole)
	LEAQ(Mem{Base: whole, Index: n, Scale: 8}, whole)
	VMOVQ(whole, block)
	VPMOVZXDQ(block, block)
	VMOVDQU64(block, frame(frameLengths))
}

// shapePayload sets the mask of the last register and the bytes that blocks take.
func shapePayload(n reg.GPPhysical) {
	rest, bytes := reg.RAX, reg.R14
	LEAQ(at(n, -1), rest)
	ANDQ(Imm(63), rest)
	INCQ(rest)
	TESTQ(n, n)
	CMOVQEQ(n, rest)
	MOVQ(I32(-1), bytes)
	BZHIQ(rest, bytes, bytes)
	KMOVQ(bytes, tail)
	LEAQ(at(n, 15), rest)
	ANDQ(I32(-16), rest)
	MOVQ(rest, frame(frameShapeBlocks))
}

// associated loads the packet's associated data, up to 48 bytes, in the byte
// order of GHASH. They start the register: had they its end, the load would take
// in what lies before them, where a store of the packet before may be in flight.
func (k kernel) associated(packet reg.Register, data Op) {
	found, ranged := k.label("foundAAD"), k.label("rangedAAD")
	from := reg.RDX
	MOVQ(frame(frameShapeFrom), from)
	TESTQ(from, from)
	JNZ(LabelRef(found))
	CMPQ(frame(frameShapeRange), Imm(0))
	JNE(LabelRef(ranged))
	MOVQ(at(packet, packetPrefix), from)
	JMP(LabelRef(found))
	Label(ranged)
	MOVWLZX(at(packet, packetAADOff), from.As32())
	ADDQ(at(packet, packetBuf), from)
	Label(found)
	VMOVDQU8_Z(at(from, 0), aadBytes, data)
	VPSHUFB(reverse, data, data)
}

// shapePowers sets dst to the schedule less 16 bytes for each block of payload.
func shapePowers(schedule, dst reg.GPPhysical) {
	MOVQ(schedule, dst)
	SUBQ(frame(frameShapeBlocks), dst)
}

// addLengths puts the length block into the last lane of associated data.
func addLengths(data Op) { VBROADCASTI32X4(frame(frameLengths), fourth, data) }

// lengthsLast loads the powers for up to three blocks of associated data, whose
// powers is less 16 bytes for each, and H for the length block in the last lane.
func lengthsLast(powers, schedule reg.GPPhysical) func(Op) {
	return func(dst Op) {
		VMOVDQU64(at(powers, power(1)), dst)
		VBROADCASTI32X4(at(schedule, power(1)), fourth, dst)
	}
}
