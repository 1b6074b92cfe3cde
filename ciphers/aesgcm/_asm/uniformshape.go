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
func (k kernel) uniformAddress(i int) {
	k.address(uniformPacket[i], at(uniformOrder, i))
}

// uniformStart makes from the first packet what does not depend on the registers
// of payload.
func (k kernel) uniformStart() {
	packet, n := uniformPacket[0], uniformBytes
	Load(Param("order"), uniformOrder)
	k.uniformAddress(0)
	for i, f := range uniformFields {
		f.load(at(packet, f.offset), f.to)
		MOVQ(reg.RAX, frame(uniformSame+8*i))
	}
	MOVQ(at(packet, packetKey), uniformKeys)
	Load(Param("slot"), reg.RAX)
	MOVQ(Mem{Base: uniformKeys, Index: reg.RAX, Scale: 1}, uniformKeys)
	Load(Param("quads"), reg.RAX)
	MOVQ(reg.RAX, frame(uniformLeft))
	MOVQ(I32(0), frame(uniformFailed))
	VMOVDQU64(reverseTable, reverse)
	setNonceWords()
	MOVL(at(packet, packetLen), n.As32())
	if k.open {
		SUBQ(Imm(16), n)
	}
	uniformTail(n)
	uniformAssociated(packet, n)
	k.uniformLengths()
}

// uniformTail sets the masks of the last register of n bytes of payload.
func uniformTail(n reg.GPPhysical) {
	rest, bytes, t := reg.RAX, reg.RCX, uniformT[0]
	LEAQ(at(n, -1), rest)
	ANDQ(Imm(63), rest)
	INCQ(rest)
	MOVQ(I32(-1), bytes)
	BZHIQ(rest, bytes, rest)
	KMOVQ(rest, tail)
	VPMOVM2B(tail, t)
	VPSHUFB(reverse, t, t)
	VPMOVB2M(t, tailReversed)
}

// uniformAssociated sets what depends on the associated data of a packet, and
// finds the powers of H. It leaves the length block, reversed, in uniformLast.
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
	uniformFindPowers(whole, n)
	SHLQ(Imm(3), whole)
	MOVQ(n, t)
	SHLQ(Imm(3), t)
	VMOVQ(t, uniformLast.AsX())
	VMOVQ(whole, uniformT[0].AsX())
	VPUNPCKLQDQ(uniformT[0].AsX(), uniformLast.AsX(), uniformLast.AsX())
}

// uniformFindPowers finds the powers of H for the payload, which are followed by
// that for the length block, and loads those for associated data.
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
	VBROADCASTI64X4(at(powers, 0), uniformPowers)
}

// uniformLengths adds the length block times H to the last round key of tag
// masks, so that tags need no product for it.
func (k kernel) uniformLengths() {
	s, h := uniformSums[0], uniformT[0]
	VSHUFI32X4(U8(0), uniformLast, uniformLast, uniformLast)
	VBROADCASTI32X4(at(uniformKeys, power(1)), h)
	s.start(h, uniformLast, uniformT[1])
	s.reduce(uniformT[1], uniformT[2])
	VPSHUFB(reverse, s.hi, uniformLast)
	VBROADCASTI32X4(key(uniformKeys, k.rounds), h)
	VPXORQ(h, uniformLast, uniformLast)
}
