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

// sequence jumps to label unless the next 16 positions of the index follow one
// another. It leaves in first the address of the first packet, and in to that of
// its mask. counting is the bytes 0 to 15.
func (b burst) sequence(counting operand.Mem, first, to reg.Register, label string) {
	at, start := reg.X0, reg.X1
	b.VMOVDQU(operand.Mem{Base: b.index}, at)
	b.VPXOR(start, start, start)
	b.VPSHUFB(start, at, start)
	b.VPSUBB(start, at, at)
	b.VPCMPEQB(counting, at, at)
	b.VPMOVMSKB(at, b.tmp.As32())
	b.CMPL(b.tmp.As32(), operand.U32(1<<16-1))
	b.JNE(operand.LabelRef(label))
	b.packet(0, first)
	b.MOVBLZX(operand.Mem{Base: b.index}, to.(reg.GPVirtual).As32())
	b.SHLQ(operand.Imm(4), to)
	b.ADDQ(b.dst, to)
}

// counting is the bytes 0 to 15, in memory.
func (a asm) counting() operand.Mem {
	bytes := a.StaticGlobal("counting")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		a.AddDatum(i, operand.U8(i))
	}
	return bytes
}

// samplesInSequence does what samples does for packets from p on.
func (b burst) samplesInSequence(w width, to []reg.VecPhysical, p, first, differ reg.Register) {
	k := b.GP64()
	b.key(p, first)
	b.XORL(differ.(reg.GPVirtual).As32(), differ.(reg.GPVirtual).As32())
	for i := range w.lanes * len(to) {
		if i > 0 {
			b.MOVQ(operand.Mem{Base: p, Disp: i<<packetShift + packetMaskKey}, k)
			b.XORQ(first, k)
			b.ORQ(k, differ)
		}
		b.MOVWLZX(operand.Mem{Base: p, Disp: i<<packetShift + packetSampleOff}, b.tmp.As32())
		b.MOVQ(operand.Mem{Base: p, Disp: i<<packetShift + packetBuf}, k)
		b.loadLane(w, i%w.lanes, operand.Mem{Base: k, Index: b.tmp, Scale: 1}, to[i/w.lanes])
	}
}

// done ends the function.
func (b burst) done() {
	b.VZEROUPPER()
	b.RET()
}
