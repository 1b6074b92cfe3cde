package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expandPowers writes the function that makes H and its powers from the round
// keys in a schedule. Each power is stored times x, so that products of
// reflected operands need no shift.
func expandPowers() {
	TEXT("expandPowers", NOSPLIT, "func(schedule *byte, rounds int)")
	Pragma("noescape")
	Load(Param("schedule"), schedule)
	Load(Param("rounds"), reg.RCX)
	VMOVDQU(reverseTable, reg.X15)
	VMOVDQU(polynomial, reg.X14)
	hashKey()

	LEAQ(at(schedule, power(1)), reg.RAX)
	VMOVDQA(reg.X0, reg.X1)
	MOVL(U32(numPowers), reg.ECX)
	Label("power")
	VMOVDQU(reg.X1, at(reg.RAX, 0))
	SUBQ(Imm(16), reg.RAX)
	multiply(reg.X0, reg.X1, reg.X14)
	DECL(reg.ECX)
	JNZ(LabelRef("power"))
	RET()
}

// hashKey leaves E(K, 0) times x in X0.
func hashKey() {
	VMOVDQU(key(schedule, 0), reg.X0)
	LEAQ(key(schedule, 1), reg.RAX)
	DECQ(reg.RCX)
	Label("round")
	VAESENC(at(reg.RAX, 0), reg.X0, reg.X0)
	ADDQ(Imm(16), reg.RAX)
	DECQ(reg.RCX)
	JNZ(LabelRef("round"))
	VAESENCLAST(at(reg.RAX, 0), reg.X0, reg.X0)
	VPSHUFB(reg.X15, reg.X0, reg.X0)

	VPSHUFD(U8(0xd3), reg.X0, reg.X1)
	VPSRAD(U8(31), reg.X1, reg.X1)
	VPADDQ(reg.X0, reg.X0, reg.X0)
	VPAND(carryTable, reg.X1, reg.X1)
	VPXOR(reg.X1, reg.X0, reg.X0)
}

// multiply is x = h x, with X2 to X5 for scratch.
func multiply(h, x reg.VecPhysical, poly Op) {
	lo, mi, hi, t := reg.X2, reg.X3, reg.X4, reg.X5
	VPCLMULQDQ(U8(0x00), x, h, lo)
	VPCLMULQDQ(U8(0x01), x, h, mi)
	VPCLMULQDQ(U8(0x10), x, h, t)
	VPXOR(t, mi, mi)
	VPCLMULQDQ(U8(0x11), x, h, hi)
	for _, part := range [][2]Op{{lo, mi}, {mi, hi}} {
		VPCLMULQDQ(U8(0x10), poly, part[0], t)
		VPSHUFD(U8(0x4e), part[0], part[0])
		VPXOR(t, part[0], part[0])
		VPXOR(part[0], part[1], part[1])
	}
	VMOVDQA(hi, x)
}

// foldBlocks writes the function that hashes whole blocks, one after the other.
func foldBlocks() {
	TEXT("foldBlocks", NOSPLIT, "func(schedule, hash, blocks *byte, n int)")
	Pragma("noescape")
	Load(Param("schedule"), schedule)
	Load(Param("hash"), reg.RAX)
	Load(Param("blocks"), reg.RSI)
	Load(Param("n"), reg.RCX)
	VMOVDQU(reverseTable, reg.X15)
	VMOVDQU(polynomial, reg.X14)
	VMOVDQU(at(schedule, power(1)), reg.X0)
	VMOVDQU(at(reg.RAX, 0), reg.X1)
	VPSHUFB(reg.X15, reg.X1, reg.X1)
	Label("block")
	VMOVDQU(at(reg.RSI, 0), reg.X6)
	VPSHUFB(reg.X15, reg.X6, reg.X6)
	VPXOR(reg.X6, reg.X1, reg.X1)
	multiply(reg.X0, reg.X1, reg.X14)
	ADDQ(Imm(16), reg.RSI)
	DECQ(reg.RCX)
	JNZ(LabelRef("block"))
	VPSHUFB(reg.X15, reg.X1, reg.X1)
	VMOVDQU(reg.X1, at(reg.RAX, 0))
	RET()
}
