package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns is the kernel for full registers: one packet a 32-bit lane, one word
// of the state a register. Samples and keys come in and masks go out through
// transpositions inside 128-bit lanes. Only words 0 to 3 of a block are the
// mask, so of the last round only what they depend on is computed.
//
// Without AVX-512 there are 16 registers for 16 words and temporaries: words 0
// to 3 live on the stack, and their registers are the temporaries.
type columns struct {
	burst
	c     chacha
	words []reg.VecPhysical
	stack []operand.Mem // of words 0 to 3, where they are there
}

func (c chacha) columns(name string) {
	b := c.kernel(name, "masks n packets, a multiple of the 32-bit lanes in a register.")
	k := columns{burst: b, c: c, words: c.w.regs[:16]}
	if c.w.lanes == 2 {
		k.stack = b.frame()
	}
	b.Label("group")
	k.load()
	b.rounds(func() {
		k.quarters(0, true)
		k.quarters(1, true)
	})
	k.quarters(0, true)
	k.quarters(1, false)
	k.store()
	group := operand.Imm(uint64(4 * c.w.lanes))
	b.ADDQ(group, b.index)
	b.SUBQ(group, b.n)
	b.JNZ(operand.LabelRef("group"))
	b.done()
}

// frame is four aligned places on the stack.
func (b burst) frame() (places []operand.Mem) {
	const size = 32
	base := b.GP64()
	b.LEAQ(b.AllocLocal(4*size+size-8), base)
	b.ADDQ(operand.Imm(size-1), base)
	b.ANDQ(operand.I8(-size), base)
	for j := range 4 {
		places = append(places, operand.Mem{Base: base, Disp: size * j})
	}
	return places
}

// load sets up the state of one group.
func (k columns) load() {
	spare, key, differ := k.words[:4], k.GP64(), k.GP64()
	k.samples(k.c.w, k.words[12:16], key, differ)
	k.c.transpose(k.words[12:16], spare)
	k.TESTQ(differ, differ)
	k.JNZ(operand.LabelRef("keys"))
	k.expanded(key)
	for i := range 8 {
		k.VPBROADCASTD(operand.Mem{Base: key, Disp: 4 * i}, k.words[4+i])
	}
	k.JMP(operand.LabelRef("constants"))
	k.Label("keys")
	k.keys(spare)
	k.Label("constants")
	for j := range 4 {
		k.VPBROADCASTD(k.c.sigma.Offset(4*j), k.words[j])
		if k.stack != nil {
			k.VMOVDQA(k.words[j], k.stack[j])
		}
	}
}

// keys loads a key for each packet.
func (k columns) keys(spare []reg.VecPhysical) {
	p, lanes := k.GP64(), k.c.w.lanes
	for i := range 4 * lanes {
		k.packet(i, p)
		k.key(p, p)
		k.expanded(p)
		for half := range 2 {
			to := k.words[4+4*half+i/lanes]
			k.loadLane(k.c.w, i%lanes, operand.Mem{Base: p, Disp: 16 * half}, to)
		}
	}
	k.c.transpose(k.words[4:8], spare)
	k.c.transpose(k.words[8:12], spare)
}

// quarters is four quarter rounds side by side, on columns or with turn 1 on
// diagonals (RFC 8439 section 2.3). Unless whole, it ends where row 0 is ready.
func (k columns) quarters(turn int, whole bool) {
	row := func(r, j int) reg.VecPhysical { return k.words[4*r+(j+r*turn)%4] }
	k.addFirst(row)
	k.mix(row, 16, 12)
	k.addFirst(row)
	if whole {
		k.mix(row, 8, 7)
	}
}

// addFirst is a += b; the sum is in registers 0 to 3, and where it lives.
func (k columns) addFirst(row func(r, j int) reg.VecPhysical) {
	for j, a := range k.words[:4] {
		if k.stack == nil {
			k.VPADDD(row(1, j), a, a)
			continue
		}
		k.VPADDD(k.stack[j], row(1, j), a)
		k.VMOVDQA(a, k.stack[j])
	}
}

// mix follows a += b: d = (d ^ a) <<< dBits, c += d, b = (b ^ c) <<< bBits.
func (k columns) mix(row func(r, j int) reg.VecPhysical, dBits, bBits int) {
	for j := range 4 {
		k.c.turn(dBits, k.words[j], row(3, j), k.words[j])
	}
	for j := range 4 {
		k.VPADDD(row(3, j), row(2, j), row(2, j))
	}
	for j := range 4 {
		k.c.turn(bBits, row(2, j), row(1, j), k.words[j])
	}
}

// store adds the constants of row 0 and writes the masks.
func (k columns) store() {
	first, spare := k.words[:4], k.words[4:8]
	for j := range 4 {
		k.VPBROADCASTD(k.c.sigma.Offset(4*j), spare[0])
		k.VPADDD(spare[0], first[j], first[j])
	}
	k.c.transpose(first, spare)
	k.masks(k.c.w, first)
}
