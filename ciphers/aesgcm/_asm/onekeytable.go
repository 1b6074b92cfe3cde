package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The counter blocks of a packet of up to oneMost bytes differ in the last byte alone.
// The first round of AES substitutes each byte by itself and is linear otherwise. So it
// is the sum of base, which is the nonce's, and of what the last byte adds, which is the
// same for all packets under a key:
//
//	first(nonce, c) = first(nonce, 0) ^ first(0, c) ^ first(0, 0)
//
// The table has the second sum for counters from 2 on, four in a register, as far as
// packets are long. It tells of the key, and is wiped at the end.

var fourTable Mem // what counters go up by in a register, big-endian

// tableStep is how many registers of the table are made or wiped at a time.
const tableStep = 4

// startTable makes what the table's entries are made from.
func (o one) startTable(aligned reg.Register) {
	key0, x, counter := reg.Z0, reg.Z1, reg.Z2
	VBROADCASTI32X4(key(schedule, 0), key0)
	clearRegister(x)
	VAESENC(x, key0, x)
	VMOVDQU64(x, at(aligned, oneShared))
	VBROADCASTI32X4(firstTable, counter)
	VPXORQ(key0, counter, counter)
	VAESENC(x, counter, counter)
	VMOVDQU64(counter, at(aligned, oneFirst))
	VMOVDQU64(furtherTable, counter)
	VMOVDQU64(counter, at(aligned, oneCounter))
}

// extend makes the table long enough for the packet in work, unless that is too long.
func (o one) extend() {
	key0, shared, counter, four, x := reg.Z0, reg.Z1, reg.Z2, reg.Z3, zmm[4:4+tableStep]
	aligned, made := reg.RAX, reg.RCX
	Label("extend")
	CMPQ(length, U32(oneMost))
	JA(LabelRef("stop"))
	MOVQ(frame(oneAligned), aligned)
	MOVQ(frame(oneMade), made)
	VBROADCASTI32X4(key(schedule, 0), key0)
	VMOVDQU64(at(aligned, oneShared), shared)
	VMOVDQU64(at(aligned, oneCounter), counter)
	VBROADCASTI32X4(fourTable, four)
	ADDQ(made, aligned)
	Label("entries")
	for i, x := range x {
		VPXORQ(key0, counter, x)
		VAESENC(shared, x, x)
		VMOVDQU64(x, at(aligned, oneTable+64*i))
		VPADDB(four, counter, counter)
	}
	ADDQ(I32(64*tableStep), aligned)
	ADDQ(I32(64*tableStep), made)
	CMPQ(made, length)
	JB(LabelRef("entries"))
	MOVL(U32(oneMost), reg.EDX)
	CMPQ(made, reg.RDX)
	CMOVQHI(reg.RDX, made)
	MOVQ(made, frame(oneMade))
	MOVQ(frame(oneAligned), aligned)
	VMOVDQU64(counter, at(aligned, oneCounter))
	JMP(LabelRef("extended"))
}

// wipe clears the aligned part as far as it was written.
func (o one) wipe() {
	from, end := reg.RAX, reg.RCX
	MOVQ(frame(oneAligned), from)
	MOVQ(frame(oneMade), end)
	ADDQ(from, end)
	clearRegister(reg.Z0)
	for offset := 0; offset < oneTable; offset += 64 {
		VMOVDQU64(reg.Z0, at(from, offset))
	}
	Label("wipe")
	for i := range tableStep {
		VMOVDQU64(reg.Z0, at(from, oneTable+64*i))
	}
	ADDQ(I32(64*tableStep), from)
	CMPQ(from, end)
	JB(LabelRef("wipe"))
}
