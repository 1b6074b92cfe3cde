package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// few is how many packets make the smaller of the two groups of aesRow.
const few = 4

// aesRow encrypts one block a packet, of packets that lie one behind the other and
// have the key of the first. A packet costs the comparison of its key, two loads to
// find its sample and one to put it into its lane.
type aesRow struct {
	asm
	w                     width
	rounds                int
	dst, p, n             reg.Register // of the packets that are left
	key, schedule, sample reg.GPVirtual
}

func (a asm) aesRow(name string, w width, rounds int) {
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(dst, packets *byte, n int) (taken int)")
	a.Doc(name + " encrypts the samples of the first packets, as far as they share a key.")
	load := func(p string) reg.Register { return a.Load(a.Param(p), a.GP64()) }
	k := aesRow{a, w, rounds, load("dst"), load("packets"), load("n"), a.GP64(), a.GP64(), a.GP64()}
	a.MOVQ(operand.Mem{Base: k.p, Disp: packetMaskKey}, k.key)
	a.MOVQ(operand.Mem{Base: k.key, Disp: keySchedule}, k.schedule)
	k.emit()
}

// emit looks for groups of 16 and, behind them or where one has another key, for
// groups of 4. It stops in front of the first that has another key.
func (k aesRow) emit() {
	k.Label("groups")
	k.CMPQ(k.n, operand.Imm(group))
	k.JB(operand.LabelRef("fews"))
	k.serve(group, "fews")
	k.JMP(operand.LabelRef("groups"))
	k.Label("fews")
	k.CMPQ(k.n, operand.Imm(few))
	k.JB(operand.LabelRef("rest"))
	k.serve(few, "done")
	k.JMP(operand.LabelRef("fews"))
	k.Label("rest")
	k.stepBack()
	k.JMP(operand.LabelRef("fews"))
	k.Label("done")
	taken := k.Load(k.Param("n"), k.GP64())
	k.SUBQ(k.n, taken)
	k.Store(taken, k.Return("taken"))
	k.VZEROUPPER()
	k.RET()
}

// stepBack makes a few of fewer packets, with some in front that are masked already.
func (k aesRow) stepBack() {
	k.TESTQ(k.n, k.n)
	k.JZ(operand.LabelRef("done"))
	before, step := k.Load(k.Param("n"), k.GP64()), k.GP64()
	k.CMPQ(before, operand.Imm(few))
	k.JB(operand.LabelRef("done"))
	k.LEAQ(operand.Mem{Base: k.n, Disp: -few}, step)
	k.SUBQ(step, k.n)
	k.SHLQ(operand.Imm(4), step)
	k.ADDQ(step, k.dst)
	k.SHLQ(operand.Imm(packetShift-4), step)
	k.ADDQ(step, k.p)
}

// serve masks n packets, or jumps to the label if one has another key.
func (k aesRow) serve(n int, differ string) {
	blocks := k.w.regs[:n/k.w.lanes]
	for i := range n {
		field := func(offset int) operand.Mem { return operand.Mem{Base: k.p, Disp: i<<packetShift + offset} }
		k.CMPQ(k.key, field(packetMaskKey))
		k.JNE(operand.LabelRef(differ))
		k.MOVWLZX(field(packetSampleOff), k.sample.As32())
		k.ADDQ(field(packetBuf), k.sample)
		k.loadLane(k.w, i%k.w.lanes, operand.Mem{Base: k.sample}, blocks[i/k.w.lanes])
	}
	k.encrypt(k.w, k.rounds, k.schedule, blocks)
	for i, x := range blocks {
		k.store(k.w, x, operand.Mem{Base: k.dst, Disp: i * k.w.bytes()})
	}
	k.ADDQ(operand.U32(n<<packetShift), k.p)
	k.ADDQ(operand.U32(16*n), k.dst)
	k.SUBQ(operand.Imm(uint64(n)), k.n)
}
