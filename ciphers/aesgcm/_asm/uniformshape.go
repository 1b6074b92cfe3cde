package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uniformFields are what packets have in common.
var uniformFields = []struct {
	offset int
	load   func(from, to Op)
	to     reg.GPPhysical
}{
	{packetKey, MOVQ, reg.RAX},
	{packetPrefixLen, MOVQ, reg.RAX},
	{packetLen, MOVL, reg.EAX},
	{packetAADLen, MOVWLZX, reg.EAX},
}

// same goes on to label if the packet has not the fields of the first.
func (u *uniform) same(packet reg.Register, label string) {
	for i, f := range uniformFields {
		f.load(at(packet, f.offset), f.to)
		CMPQ(reg.RAX, frame(uniformSame+8*i))
		JNE(LabelRef(label))
	}
}

// uniformAddress finds the descriptor of packet i of the quad.
func (q quads) uniformAddress(i int) {
	q.address(uniformPacket[i], at(uniformOrder, i))
}

// start makes from the first packet what does not depend on the registers of payload.
func (q quads) start() {
	packet, n := uniformPacket[0], uniformBytes
	if q.row {
		Load(Param("packets"), packet)
	} else {
		Load(Param("order"), uniformOrder)
		q.uniformAddress(0)
		q.keepFields(packet)
	}
	MOVQ(at(packet, packetKey), uniformKeys)
	Load(Param("slot"), reg.RAX)
	MOVQ(Mem{Base: uniformKeys, Index: reg.RAX, Scale: 1}, uniformKeys)
	Load(Param("quads"), reg.RAX)
	MOVQ(reg.RAX, frame(uniformLeft))
	MOVQ(I32(0), frame(uniformFailed))
	VMOVDQU64(reverseTable, reverse)
	setNonceWords()
	startLines()
	MOVL(at(packet, packetLen), n.As32())
	if q.open {
		SUBQ(Imm(16), n)
	}
	uniformTail(n)
	uniformAssociated(packet, n)
	q.uniformLengths()
}

func (q quads) keepFields(packet reg.Register) {
	for i, f := range uniformFields {
		f.load(at(packet, f.offset), f.to)
		MOVQ(reg.RAX, frame(uniformSame+8*i))
	}
}

// uniformTail sets the masks of the last register of n bytes of payload.
func uniformTail(n reg.GPPhysical) {
	rest, bytes, t := reg.RAX, reg.RCX, reg.Z0
	LEAQ(at(n, -1), rest)
	ANDQ(Imm(63), rest)
	INCQ(rest)
	MOVQ(I32(-1), bytes)
	BZHIQ(rest, bytes, rest)
	KMOVQ(rest, tail)
	XORL(bytes.As32(), bytes.As32())
	INCQ(rest) // all ones
	SETEQ(bytes.As8())
	MOVQ(bytes, frame(uniformWhole))
	VPMOVM2B(tail, t)
	VPSHUFB(reverse, t, t)
	VPMOVB2M(t, tailReversed)
}

// uniformAssociated sets what depends on the associated data of a packet, and
// finds the powers of H. It leaves the length block, reversed, in uniformLengthBlock.
func uniformAssociated(packet, n reg.GPPhysical) {
	whole, bytes, t := reg.RSI, reg.RCX, reg.RAX
	MOVQ(at(packet, packetPrefixLen), whole)
	MOVL(U32(packetPrefix), uniformFrom.As32())
	XORL(t.As32(), t.As32())
	TESTQ(whole, whole)
	CMOVQEQ(t, uniformFrom) // packetBuf: readable
	MOVWLZX(at(packet, packetAADLen), t.As32())
	ADDQ(t, whole)
	NEGQ(t)
	SBBQ(t, t)
	MOVQ(t, frame(uniformRange))
	MOVQ(I32(-1), bytes)
	BZHIQ(whole, bytes, bytes)
	KMOVQ(bytes, aadBytes)
	SHRQ(Imm(16), bytes)
	MOVQ(bytes, frame(uniformMore))
	uniformFindPowers(whole, n)
	SHLQ(Imm(3), whole)
	MOVQ(n, t)
	SHLQ(Imm(3), t)
	VMOVQ(t, uniformLengthBlock.AsX())
	VMOVQ(whole, reg.X1)
	VPUNPCKLQDQ(reg.X1, uniformLengthBlock.AsX(), uniformLengthBlock.AsX())
}

// uniformFindPowers finds the powers of H for the payload, which are followed by
// that for the length block, and those for associated data, which come before.
func uniformFindPowers(whole, n reg.GPPhysical) {
	powers, blocks := reg.RCX, reg.RAX
	LEAQ(at(n, 15), blocks)
	ANDQ(I32(-16), blocks)
	LEAQ(at(uniformKeys, power(1)), powers)
	SUBQ(blocks, powers)
	MOVQ(powers, frame(uniformPower))
	LEAQ(at(whole, 15), blocks)
	ANDQ(I32(-16), blocks)
	SUBQ(blocks, powers)
	MOVQ(powers, frame(uniformBefore))
}

// uniformLengthBlock is the length block until it is hashed.
var uniformLengthBlock = reg.Z0

// uniformLengths adds the length block times H to the last round key of tag
// masks, so that tags need no product for it.
func (k kernel) uniformLengths() {
	s, h, t, x := uniformSum{reg.Z1, reg.Z2, reg.Z3}, reg.Z4, reg.Z5, uniformLengthBlock
	VSHUFI32X4(U8(0), x, x, x)
	VBROADCASTI32X4(at(uniformKeys, power(1)), h)
	s.start(h, x, t)
	s.reduce(t, x)
	VPSHUFB(reverse, s.hi, x)
	VBROADCASTI32X4(key(uniformKeys, k.rounds), h)
	VPXORQ(h, x, x)
	findLines()
	VMOVDQA64(x, line(lineLengths))
}
