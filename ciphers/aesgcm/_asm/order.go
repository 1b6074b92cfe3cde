package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What the ordering of a burst knows of packages ciphers and aesgcm, as
// order_amd64.go has it.
const (
	maxBurst   = 256
	maxSorted  = 47 // registers of payload; larger packets are not told apart
	inPlaceAAD = 48
	classBits  = 9 // of a count
	lastClass  = 6
)

// A packet's sort key is its registers of payload and, below them, its place in
// the burst, so that no two are alike and the order is stable. Its rank is the
// number of smaller keys, counted for a block of packets at a time.
const (
	rankBlock   = 32
	orderKeys   = 0
	orderRanks  = orderKeys + 2*maxBurst
	orderFolds  = orderRanks + 2*maxBurst
	orderCounts = orderFolds + 8
	orderFrame  = orderCounts + 8
)

// orderBurst writes the function that puts a burst in order of size.
func orderBurst() {
	TEXT("orderBurst", 0, "func(packets, index *byte, count, up int, ordered *byte) (counts uint64, bytes, folds int)")
	Pragma("noescape")
	AllocLocal(orderFrame)
	Load(Param("index"), reg.RSI)
	Load(Param("count"), reg.R15)
	orderMakeKeys()
	orderMakeRanks()
	orderPlace()
	VZEROUPPER()
	RET()
}

// orderMakeKeys makes the sort keys, and says what all packets have together.
func orderMakeKeys() {
	n, packet, whole, aad, size := reg.RDX, reg.RDI, reg.R8, reg.R9, reg.R10
	bytes, folds, counts, most := reg.R11, reg.R12, reg.R13, reg.RBX
	for _, r := range []reg.GPPhysical{n, bytes, folds, counts} {
		XORL(r.As32(), r.As32())
	}
	MOVL(U32(maxSorted), most.As32())
	Label("key")
	MOVBLZX(Mem{Base: reg.RSI, Index: n, Scale: 1}, packet.As32())
	SHLQ(Imm(packetShift), packet)
	ADDQ(NewParamAddr("packets", 0), packet)
	MOVL(at(packet, packetLen), size.As32())
	MOVQ(at(packet, packetPrefixLen), whole)
	MOVWLZX(at(packet, packetAADLen), aad.As32())
	ADDQ(size, bytes)
	ADDQ(NewParamAddr("up", 24), size)
	SHRQ(Imm(6), size)
	CMPQ(size, most)
	CMOVQGT(most, size)
	orderAAD(whole, aad, bytes, folds)
	orderClass(size, counts)
	SHLQ(Imm(8), size)
	ORQ(n, size)
	MOVW(size.As16(), Mem{Base: reg.StackPointer, Disp: orderKeys, Index: n, Scale: 2})
	INCQ(n)
	CMPQ(n, reg.R15)
	JNE(LabelRef("key"))
	SHRQ(Imm(63), folds)
	Store(counts, Return("counts"))
	Store(bytes, Return("bytes"))
	Store(folds, Return("folds"))
}

// orderAAD adds a packet's associated data, in its buffer and whole of a prefix, to
// bytes, and gathers in the sign of folds whether some are too long or in two pieces.
func orderAAD(whole, aad, bytes, folds reg.GPPhysical) {
	t := reg.RAX
	MOVQ(whole, t)
	NEGQ(t)
	MOVQ(aad, reg.RCX)
	NEGQ(reg.RCX)
	ANDQ(reg.RCX, t)
	ORQ(t, folds)
	ADDQ(whole, aad)
	ADDQ(aad, bytes)
	MOVL(U32(inPlaceAAD), t.As32())
	SUBQ(aad, t)
	ORQ(t, folds)
}

// orderClass counts a packet of so many registers among those of up to lastClass, in
// fields of one word.
func orderClass(size, counts reg.GPPhysical) {
	t := reg.RAX
	MOVL(U32(lastClass), reg.ECX)
	CMPQ(size, reg.RCX)
	CMOVQLT(size, reg.RCX)
	LEAQ(Mem{Base: reg.RCX, Index: reg.RCX, Scale: 8}, reg.RCX)
	MOVL(U32(1), t.As32())
	SHLQ(reg.CL, t)
	ADDQ(t, counts)
}

// orderMakeRanks compares the keys of each block with those of all packets. What
// lies behind the last key has a rank too, which nobody reads.
func orderMakeRanks() {
	block, n := reg.RAX, reg.RDX
	key, t, u, ranks, more := reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4
	XORL(block.As32(), block.As32())
	Label("block")
	VMOVDQU(Mem{Base: reg.StackPointer, Disp: orderKeys, Index: block, Scale: 2}, reg.Y5)
	VMOVDQU(Mem{Base: reg.StackPointer, Disp: orderKeys + 32, Index: block, Scale: 2}, reg.Y6)
	VPXOR(ranks, ranks, ranks)
	VPXOR(more, more, more)
	XORL(n.As32(), n.As32())
	Label("rank")
	VPBROADCASTW(Mem{Base: reg.StackPointer, Disp: orderKeys, Index: n, Scale: 2}, key)
	VPCMPGTW(key, reg.Y5, t)
	VPCMPGTW(key, reg.Y6, u)
	VPSUBW(t, ranks, ranks)
	VPSUBW(u, more, more)
	INCQ(n)
	CMPQ(n, reg.R15)
	JNE(LabelRef("rank"))
	VMOVDQU(ranks, Mem{Base: reg.StackPointer, Disp: orderRanks, Index: block, Scale: 2})
	VMOVDQU(more, Mem{Base: reg.StackPointer, Disp: orderRanks + 32, Index: block, Scale: 2})
	ADDQ(Imm(rankBlock), block)
	CMPQ(block, reg.R15)
	JLT(LabelRef("block"))
}

// orderPlace puts each index where its rank says.
func orderPlace() {
	n, ordered := reg.RDX, reg.RDI
	Load(Param("ordered"), ordered)
	XORL(n.As32(), n.As32())
	Label("place")
	MOVWLZX(Mem{Base: reg.StackPointer, Disp: orderRanks, Index: n, Scale: 2}, reg.EAX)
	MOVBLZX(Mem{Base: reg.RSI, Index: n, Scale: 1}, reg.ECX)
	MOVB(reg.CL, Mem{Base: ordered, Index: reg.RAX, Scale: 1})
	INCQ(n)
	CMPQ(n, reg.R15)
	JNE(LabelRef("place"))
}
