package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sum256 adds up products in each lane of 256-bit registers, as sum does.
type sum256 struct {
	lo, mi, hi reg.VecPhysical
	t          [3]reg.VecPhysical
}

// product adds a register of blocks times powers. The first of a hash takes the
// carry in and begins the sum.
func (s *sum256) product(blocks Op, first bool, power func(dst Op)) []step {
	a, b, t := s.t[0], s.t[1], s.t[2]
	steps := []step{
		func() { VMOVDQU(blocks, a) },
		func() { VPSHUFB(reverseTable, a, a) },
		func() { power(b) },
	}
	if first {
		return append(steps,
			func() { VPXOR(frame(ymmCarry), a, a) },
			func() { VPCLMULQDQ(U8(0x00), b, a, s.lo) },
			func() { VPCLMULQDQ(U8(0x01), b, a, s.mi) },
			func() { VPCLMULQDQ(U8(0x10), b, a, t) },
			func() { VPCLMULQDQ(U8(0x11), b, a, s.hi) },
			func() { VPXOR(t, s.mi, s.mi) })
	}
	return append(append(steps, s.add(0x00, s.lo)...),
		append(append(s.add(0x01, s.mi), s.add(0x10, s.mi)...), s.add(0x11, s.hi)...)...)
}

func (s *sum256) add(halves int, to Op) []step {
	return []step{
		func() { VPCLMULQDQ(U8(halves), s.t[1], s.t[0], s.t[2]) },
		func() { VPXOR(s.t[2], to, to) },
	}
}

// reduce leaves each lane's sum, reduced, in hi.
func (s *sum256) reduce() (steps []step) {
	t := s.t[0]
	for _, part := range [][2]reg.VecPhysical{{s.lo, s.mi}, {s.mi, s.hi}} {
		steps = append(steps,
			func() { VPCLMULQDQ(U8(0x10), polynomial, part[0], t) },
			func() { VPSHUFD(U8(0x4e), part[0], part[0]) },
			func() { VPXOR(t, part[1], part[1]) },
			func() { VPXOR(part[0], part[1], part[1]) })
	}
	return steps
}

// lastRegister copies the last register of the payload, 0 to 32 bytes, into the
// frame, with zeros behind it. R12 is where it starts, R13 its bytes.
func (k ymmKernel) lastRegister() {
	from, n := reg.R12, reg.R13
	LEAQ(at(length, -1), from)
	ANDQ(I32(-ymmBytes), from)
	XORL(reg.EAX, reg.EAX)
	TESTQ(length, length)
	CMOVQEQ(reg.RAX, from)
	MOVQ(length, n)
	SUBQ(from, n)
	LEAQ(Mem{Base: src, Index: from, Scale: 1}, reg.RDX)
	CMPQ(n, Imm(ymmBytes))
	JNE(LabelRef("partLoad"))
	VMOVDQU(at(reg.RDX, 0), reg.Y15)
	VMOVDQU(reg.Y15, frame(ymmLast))
	JMP(LabelRef("lastLoaded"))
	Label("partLoad")
	VPXOR(reg.X15, reg.X15, reg.X15)
	VMOVDQU(reg.Y15, frame(ymmLast))
	LEAQ(frame(ymmLast), reg.RCX)
	k.copyBytes("load", reg.RDX, reg.RCX, n, 16)
	Label("lastLoaded")
	LEAQ(at(length, 15), reg.RCX)
	ANDQ(I32(-16), reg.RCX)
	MOVQ(schedule, powers)
	SUBQ(reg.RCX, powers)
}

// storeLast writes the last register of the payload from the frame.
func (k ymmKernel) storeLast() {
	ADDQ(reg.R12, dst)
	CMPQ(reg.R13, Imm(ymmBytes))
	JNE(LabelRef("partStore"))
	VMOVDQU(frame(ymmLast), reg.Y15)
	VMOVDQU(reg.Y15, at(dst, 0))
	JMP(LabelRef("lastStored"))
	Label("partStore")
	LEAQ(frame(ymmLast), reg.RCX)
	k.copyBytes("store", reg.RCX, dst, reg.R13, 16)
	Label("lastStored")
}

// tails jumps to the code for as many registers as are left.
func (k ymmKernel) tails() {
	for n := 1; n < ymmChunk; n++ {
		CMPQ(length, U32(ymmBytes*n))
		JBE(LabelRef(fmt.Sprintf("tail%d", n)))
	}
	for n := ymmChunk; n > 0; n-- {
		if n < ymmChunk {
			Label(fmt.Sprintf("tail%d", n))
		}
		k.tail(n)
		if n > 1 {
			JMP(LabelRef("tailDone"))
		}
	}
}

// tail processes the last n registers of the payload and encrypts the first
// counter block. The hash stays unreduced.
func (k ymmKernel) tail(n int) {
	x := ymmStates[:n]
	k.counters(x)
	if k.open {
		k.middle(k.hashTail(n, src), true, x...)
	} else {
		k.middle(nil, true, x...)
	}
	VBROADCASTI128(key(schedule, k.rounds), ymmKey)
	VAESENCLAST(ymmKey.AsX(), ymmMask, ymmMask)
	t := ymmHash.t[0]
	for i := range n - 1 {
		VPXOR(at(src, ymmBytes*i), ymmKey, t)
		VAESENCLAST(t, x[i], x[i])
		VMOVDQU(x[i], at(dst, ymmBytes*i))
	}
	last := x[n-1]
	VPXOR(frame(ymmLast), ymmKey, t)
	VAESENCLAST(t, last, last)
	if !k.open {
		k.clearBehind(last)
	}
	VMOVDQU(last, frame(ymmLast))
	if !k.open {
		emitAll(k.hashTail(n, dst))
	}
}

// clearBehind zeroes what lies behind the payload in its last register.
func (k ymmKernel) clearBehind(last reg.VecPhysical) {
	LEAQ(maskTable.Offset(ymmBytes), reg.RAX)
	SUBQ(reg.R13, reg.RAX)
	VPAND(at(reg.RAX, 0), last, last)
}

// hashTail hashes n registers of ciphertext, the last of them in the frame.
func (k ymmKernel) hashTail(n int, from reg.Register) (steps []step) {
	for i := range n {
		blocks := at(from, ymmBytes*i)
		if i == n-1 {
			blocks = frame(ymmLast)
		}
		steps = append(steps, ymmHash.product(blocks, i == 0,
			func(dst Op) { VMOVDQU(at(powers, power(1)+ymmBytes*i), dst) })...)
	}
	return steps
}

// tag adds the lengths to the hash and writes or verifies the tag.
func (k ymmKernel) tag() {
	x := reg.X0
	k.lengths()
	emitAll(ymmHash.reduce())
	VEXTRACTI128(Imm(1), ymmHash.hi, x)
	VPXOR(ymmHash.hi.AsX(), x, x)
	VPSHUFB(reverseTable, x, x)
	VPXOR(ymmMask, x, x)

	MOVWLZX(at(packet, packetOff), reg.ECX)
	ADDQ(at(packet, packetBuf), reg.RCX)
	ADDQ(frame(ymmSize), reg.RCX)
	tagSize(packet, reg.RAX)
	if k.open {
		k.verify(x)
	} else {
		k.write(x)
	}
}

// lengths adds the length block times H to the hash.
func (k ymmKernel) lengths() {
	MOVQ(frame(ymmWhole), reg.RCX)
	MOVQ(frame(ymmSize), reg.RDX)
	SHLQ(Imm(32+3), reg.RCX)
	LEAQ(Mem{Base: reg.RCX, Index: reg.RDX, Scale: 8}, reg.RCX)
	a, b := ymmHash.t[0], ymmHash.t[1]
	VMOVQ(reg.RCX, a.AsX())
	VPMOVZXDQ(a.AsX(), a.AsX())
	VMOVDQU(at(schedule, power(1)), b.AsX())
	for _, s := range append(append(ymmHash.add(0x00, ymmHash.lo), ymmHash.add(0x01, ymmHash.mi)...),
		append(ymmHash.add(0x10, ymmHash.mi), ymmHash.add(0x11, ymmHash.hi)...)...) {
		s()
	}
}

// write stores 8, 12 or 16 bytes of the tag at CX.
func (k ymmKernel) write(tag reg.VecPhysical) {
	CMPQ(reg.RAX, Imm(12))
	JB(LabelRef("tag8"))
	JE(LabelRef("tag12"))
	VMOVDQU(tag, at(reg.RCX, 0))
	JMP(LabelRef("tagDone"))
	Label("tag12")
	VPEXTRD(Imm(2), tag, at(reg.RCX, 8))
	Label("tag8")
	VMOVQ(tag, at(reg.RCX, 0))
	Label("tagDone")
	MOVB(U8(statusOK), at(packet, packetStatus))
}

// verify compares the tag at CX and sets the status. Only the status depends on
// the outcome.
func (k ymmKernel) verify(tag reg.VecPhysical) {
	received := reg.X1
	CMPQ(reg.RAX, Imm(12))
	JB(LabelRef("tag8"))
	JE(LabelRef("tag12"))
	VMOVDQU(at(reg.RCX, 0), received)
	JMP(LabelRef("tagDone"))
	Label("tag8")
	VMOVQ(at(reg.RCX, 0), received)
	JMP(LabelRef("tagDone"))
	Label("tag12")
	VMOVQ(at(reg.RCX, 0), received)
	VPINSRD(Imm(2), at(reg.RCX, 8), received, received)
	Label("tagDone")
	LEAQ(maskTable.Offset(ymmBytes), reg.RDX)
	SUBQ(reg.RAX, reg.RDX)
	VPXOR(received, tag, tag)
	XORL(reg.EAX, reg.EAX)
	VPTEST(at(reg.RDX, 0), tag)
	SETNE(reg.AL)
	ADDQ(reg.RAX, frame(ymmFailed))
	INCL(reg.EAX)
	MOVB(reg.AL, at(packet, packetStatus))
}
