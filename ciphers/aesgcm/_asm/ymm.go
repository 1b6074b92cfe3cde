package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymmKernel is one function of the tier for 256-bit registers without AVX-512: a
// burst, in one direction, for one key size. It takes packets one after the
// other in one call; the encryption of the first counter block runs beside the
// end of the payload, and out-of-order execution overlaps packets.
//
// There are no opmasks: the last register of a payload goes through the frame,
// so that nothing outside the slices is read or written.
type ymmKernel struct{ kernel }

// Chunks are of 8 registers, two blocks each.
const (
	ymmChunk  = 8
	ymmBytes  = 32
	chunkSize = ymmChunk * ymmBytes
)

// The frame of a ymmKernel.
const (
	ymmBase    = 0   // nonce and counter 0, less the first round key, twice
	ymmNow     = 32  // the same at the chunk's counter
	ymmCounter = 64  // the chunk's counter, in the first word of each lane
	ymmCarry   = 96  // the hash of what came before
	ymmLast    = 128 // the last register of a payload
	ymmSize    = 160 // bytes of payload
	ymmWhole   = 168 // bytes of associated data
	ymmFailed  = 176 // packets that were not authentic
	ymmFrame   = 184
)

// What vector registers hold: eight states, the tag mask, and these.
var (
	ymmStates = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7}
	ymmMask   = reg.X8
	ymmKey    = reg.Y9
	ymmHash   = &sum256{lo: reg.Y10, mi: reg.Y11, hi: reg.Y12, t: [3]reg.VecPhysical{reg.Y13, reg.Y14, reg.Y15}}
)

// vaes256 writes a kernel for each direction and key size.
func vaes256() {
	tables(2)
	for _, k := range []kernel{
		{name: "sealAES128VAES256", rounds: 10},
		{name: "sealAES256VAES256", rounds: 14},
		{name: "openAES128VAES256", rounds: 10, open: true},
		{name: "openAES256VAES256", rounds: 14, open: true},
	} {
		ymmKernel{k}.emit()
	}
}

func (k ymmKernel) emit() {
	k.labels = new(int)
	TEXT(k.name, NOSPLIT, "func(packets, order *byte, count, slot int, folded *byte) int")
	Pragma("noescape")
	AllocLocal(ymmFrame)
	Load(Param("order"), reg.RBX)
	Load(Param("count"), reg.R15)
	MOVQ(I32(0), frame(ymmFailed))
	Label("packet")
	k.start()
	k.associatedData()
	k.chunks()
	k.lastRegister()
	k.tails()
	Label("tailDone")
	k.storeLast()
	k.tag()
	INCQ(reg.RBX)
	DECQ(reg.R15)
	JNZ(LabelRef("packet"))
	Load(Param("count"), reg.RAX)
	SUBQ(frame(ymmFailed), reg.RAX)
	Store(reg.RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// start finds the packet's parts and makes its first counter blocks.
func (k ymmKernel) start() {
	MOVBLZX(at(reg.RBX, 0), reg.EAX)
	SHLQ(Imm(packetShift), reg.RAX)
	Load(Param("packets"), packet)
	ADDQ(reg.RAX, packet)
	MOVQ(at(packet, packetKey), schedule)
	Load(Param("slot"), reg.RAX)
	MOVQ(Mem{Base: schedule, Index: reg.RAX, Scale: 1}, schedule)
	k.payload(packet, length)
	MOVQ(length, frame(ymmSize))

	VMOVDQU(at(packet, packetNonce), ymmMask)
	VPAND(nonceTable, ymmMask, ymmMask)
	VPXOR(key(schedule, 0), ymmMask, ymmMask)
	VINSERTI128(Imm(1), ymmMask, ymmMask.AsY(), reg.Y15)
	VMOVDQU(reg.Y15, frame(ymmBase))
	VMOVDQU(reg.Y15, frame(ymmNow))
	VPXOR(firstTable, ymmMask, ymmMask)
	VPXOR(reg.Y15, reg.Y15, reg.Y15)
	VMOVDQU(reg.Y15, frame(ymmCounter))
}

// associatedData hashes the associated data, at most 48 bytes, a block at a
// time: carry = (carry ^ block) H.
func (k ymmKernel) associatedData() {
	whole, part, from := reg.RCX, reg.RAX, reg.RDX
	k.locate(whole, part, from)
	MOVQ(whole, frame(ymmWhole))
	VPXOR(reg.X1, reg.X1, reg.X1)
	VMOVDQU(at(schedule, power(1)), reg.X0)
	Label("aadBlock")
	TESTQ(part, part)
	JZ(LabelRef("aadDone"))
	CMPQ(part, Imm(16))
	JL(LabelRef("aadPart"))
	VMOVDQU(at(from, 0), reg.X6)
	ADDQ(Imm(16), from)
	SUBQ(Imm(16), part)
	Label("aadHash")
	VPSHUFB(reverseTable, reg.X6, reg.X6)
	VPXOR(reg.X6, reg.X1, reg.X1)
	multiply(reg.X0, reg.X1, polynomial)
	JMP(LabelRef("aadBlock"))
	Label("aadPart")
	VPXOR(reg.X6, reg.X6, reg.X6)
	VMOVDQU(reg.X6, frame(ymmLast))
	LEAQ(frame(ymmLast), reg.R11)
	k.copyBytes("aad", from, reg.R11, part, 8)
	VMOVDQU(frame(ymmLast), reg.X6)
	XORL(part.As32(), part.As32())
	JMP(LabelRef("aadHash"))
	Label("aadDone")
	VMOVDQU(reg.Y1, frame(ymmCarry))
}

// locate finds associated data in one piece or their folded form.
func (k ymmKernel) locate(whole, part, from reg.GPPhysical) {
	MOVQ(at(packet, packetPrefix), from)
	MOVQ(at(packet, packetPrefixLen), whole)
	MOVWLZX(at(packet, packetAADLen), part.As32())
	TESTQ(part, part)
	JZ(LabelRef("aadFound"))
	MOVQ(part, whole)
	MOVWLZX(at(packet, packetAADOff), from.As32())
	ADDQ(at(packet, packetBuf), from)
	Label("aadFound")
	MOVQ(whole, part)
	k.folded(packet, whole, part, from, func() {})
}

// copyBytes copies n bytes, fewer than twice most, from one address to another,
// in pieces of descending powers of two.
func (k ymmKernel) copyBytes(name string, from, to, n reg.GPPhysical, most int) {
	moves := []struct {
		size int
		move func()
	}{
		{16, func() { VMOVDQU(at(from, 0), reg.X15); VMOVDQU(reg.X15, at(to, 0)) }},
		{8, func() { MOVQ(at(from, 0), reg.R14); MOVQ(reg.R14, at(to, 0)) }},
		{4, func() { MOVL(at(from, 0), reg.R14L); MOVL(reg.R14L, at(to, 0)) }},
		{2, func() { MOVW(at(from, 0), reg.R14W); MOVW(reg.R14W, at(to, 0)) }},
		{1, func() { MOVB(at(from, 0), reg.R14B); MOVB(reg.R14B, at(to, 0)) }},
	}
	for _, m := range moves {
		if m.size > most {
			continue
		}
		without := fmt.Sprintf("%sWithout%d", name, m.size)
		TESTQ(U32(m.size), n)
		JZ(LabelRef(without))
		m.move()
		ADDQ(Imm(uint64(m.size)), from)
		ADDQ(Imm(uint64(m.size)), to)
		Label(without)
	}
}

// chunks processes whole chunks until at most one is left.
func (k ymmKernel) chunks() {
	CMPQ(length, U32(chunkSize))
	JBE(LabelRef("chunksDone"))
	if !k.open {
		k.chunk(nil)
		CMPQ(length, U32(chunkSize))
		JBE(LabelRef("lastChunk"))
	}
	Label("chunk")
	from := at(dst, -chunkSize)
	if k.open {
		from = at(src, 0)
	}
	k.chunk(k.hashChunk(from))
	CMPQ(length, U32(chunkSize))
	JA(LabelRef("chunk"))
	if !k.open {
		Label("lastChunk")
		emitAll(k.hashChunk(from))
	}
	Label("chunksDone")
}

func (k ymmKernel) chunk(hash []step) {
	k.counters(ymmStates)
	VMOVDQU(ymmKey, frame(ymmNow)) // counters left it there
	k.middle(hash, false)
	VBROADCASTI128(key(schedule, k.rounds), ymmKey)
	for i, x := range ymmStates {
		VPXOR(at(src, ymmBytes*i), ymmKey, ymmHash.t[0])
		VAESENCLAST(ymmHash.t[0], x, x)
		VMOVDQU(x, at(dst, ymmBytes*i))
	}
	ADDQ(U32(chunkSize), src)
	ADDQ(U32(chunkSize), dst)
	SUBQ(U32(chunkSize), length)
}

// counters sets x to the next counter blocks. A whole chunk reaches into the
// counters of the next, whose base it leaves in ymmKey.
func (k ymmKernel) counters(x []reg.VecPhysical) {
	VMOVDQU(frame(ymmNow), ymmKey)
	for i := 0; i < min(len(x), ymmChunk-1); i++ {
		VPXOR(counterTable.Offset(ymmBytes*i), ymmKey, x[i])
	}
	if len(x) < ymmChunk {
		return
	}
	VMOVDQU(frame(ymmCounter), ymmKey)
	VPADDD(strideTable, ymmKey, ymmKey)
	VMOVDQU(ymmKey, frame(ymmCounter))
	VPSHUFB(reverseTable, ymmKey, ymmKey)
	VPXOR(frame(ymmBase), ymmKey, ymmKey)
	VPXOR(counterTable.Offset(ymmBytes*(ymmChunk-1)), ymmKey, x[ymmChunk-1])
}

// middle emits the middle rounds of all states, and of the tag mask's with it.
func (k ymmKernel) middle(fill []step, mask bool, x ...reg.VecPhysical) {
	if x == nil {
		x = ymmStates
	}
	for r := 1; r < k.rounds; r++ {
		VBROADCASTI128(key(schedule, r), ymmKey)
		for i, state := range x {
			VAESENC(ymmKey, state, state)
			fill = spread(fill, (k.rounds-r-1)*len(x)+len(x)-i)
		}
		if mask {
			VAESENC(ymmKey.AsX(), ymmMask, ymmMask)
		}
	}
	emitAll(fill)
}

// hashChunk replaces the carry by the hash of a chunk, in two lanes, each in
// steps of H^2.
func (k ymmKernel) hashChunk(from Mem) (steps []step) {
	for i := range ymmChunk {
		steps = append(steps, ymmHash.product(from.Offset(ymmBytes*i), i == 0,
			func(dst Op) { VBROADCASTI128(at(schedule, power(2*(ymmChunk-i))), dst) })...)
	}
	steps = append(steps, ymmHash.reduce()...)
	return append(steps, func() { VMOVDQU(ymmHash.hi, frame(ymmCarry)) })
}
