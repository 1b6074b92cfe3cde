package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets in a ciphers.Packet, which assertions in that package hold still.
const (
	packetShift     = 7 // log2 of the size
	packetBuf       = 0
	packetMaskKey   = 56
	packetSampleOff = 124
)

// keySchedule is the offset, in a ciphers.Key, of the pointer to the schedule of SlotBulk.
const keySchedule = 64

// burst is the arguments of a kernel, in registers.
type burst struct {
	asm
	dst, packets, index, n, schedule reg.Register
	tmp                              reg.GPVirtual
}

// kernel starts a function over a burst. schedule is the offset, in a Key, of
// the pointer to the schedule.
func (a asm) kernel(name, what string) burst {
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr("func(dst, packets, index *byte, n, schedule int)")
	a.Doc(name + " " + what)
	load := func(p string) reg.Register { return a.Load(a.Param(p), a.GP64()) }
	return burst{a, load("dst"), load("packets"), load("index"), load("n"), load("schedule"), a.GP64()}
}

// packet leaves in p the address of the packet at position i of the index.
func (b burst) packet(i int, p reg.Register) {
	b.MOVBLZX(operand.Mem{Base: b.index, Disp: i}, p.(reg.GPVirtual).As32())
	b.SHLQ(operand.Imm(packetShift), p)
	b.ADDQ(b.packets, p)
}

// key leaves in k the mask key of the packet at p.
func (b burst) key(p, k reg.Register) {
	b.MOVQ(operand.Mem{Base: p, Disp: packetMaskKey}, k)
}

// expanded turns the key in k into the address of its schedule.
func (b burst) expanded(k reg.Register) {
	b.MOVQ(operand.Mem{Base: k, Index: b.schedule, Scale: 1}, k)
}

// sample is the sample of the packet at p, whose register it overwrites.
func (b burst) sample(p reg.Register) operand.Mem {
	b.MOVWLZX(operand.Mem{Base: p, Disp: packetSampleOff}, b.tmp.As32())
	b.MOVQ(operand.Mem{Base: p, Disp: packetBuf}, p)
	return operand.Mem{Base: p, Index: b.tmp, Scale: 1}
}

// mask is where the mask of the packet at position i of the index goes.
func (b burst) mask(i int) operand.Mem {
	b.MOVBLZX(operand.Mem{Base: b.index, Disp: i}, b.tmp.As32())
	b.SHLQ(operand.Imm(4), b.tmp)
	return operand.Mem{Base: b.dst, Index: b.tmp, Scale: 1}
}

// samples loads the samples of lanes*len(to) packets, packet i into lane
// i%lanes of register i/lanes. It leaves the first packet's key in first, and in
// differ what other keys differ by: 0 when all packets have one.
func (b burst) samples(w width, to []reg.VecPhysical, first, differ reg.Register) {
	p, k := b.GP64(), b.GP64()
	b.XORL(differ.(reg.GPVirtual).As32(), differ.(reg.GPVirtual).As32())
	for i := range w.lanes * len(to) {
		b.packet(i, p)
		if i == 0 {
			b.key(p, first)
		} else {
			b.key(p, k)
			b.XORQ(first, k)
			b.ORQ(k, differ)
		}
		b.loadLane(w, i%w.lanes, b.sample(p), to[i/w.lanes])
	}
}

// masks stores what samples loaded places for.
func (b burst) masks(w width, from []reg.VecPhysical) {
	for i := range w.lanes * len(from) {
		b.storeLane(w, i%w.lanes, from[i/w.lanes], b.mask(i))
	}
}

// done ends the function.
func (b burst) done() {
	b.VZEROUPPER()
	b.RET()
}
