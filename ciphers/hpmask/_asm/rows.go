package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows is the kernel for a few packets: one packet a 128-bit lane, one row of the
// state a register. Its rounds are a single chain, so it takes half the time of
// columns and serves a quarter of the packets.
type rows struct {
	chacha
	a, b, c, d reg.VecPhysical // rows 0 to 3
	spare      reg.VecPhysical
}

func (c chacha) rows(name string) {
	b := c.kernel(name, "masks as many packets as a register has 128-bit lanes, n of them.")
	r := c.w.regs
	k := rows{c, r[0], r[1], r[2], r[3], r[4]}
	p, schedule := b.GP64(), b.GP64()
	for lane := range c.w.lanes {
		b.packet(lane, p)
		b.key(p, schedule)
		b.expanded(schedule)
		b.loadLane(c.w, lane, operand.Mem{Base: schedule}, k.b)
		b.loadLane(c.w, lane, operand.Mem{Base: schedule, Disp: 16}, k.c)
		b.loadLane(c.w, lane, b.sample(p), k.d)
	}
	b.broadcast(c.w, c.sigma, k.a)
	b.rounds(func() {
		k.quarter(true)
		k.shift(0x39, 0x4e, 0x93)
		k.quarter(true)
		k.shift(0x93, 0x4e, 0x39)
	})
	k.quarter(true)
	k.shift(0x39, 0x4e, 0x93)
	k.quarter(false)
	b.broadcast(c.w, c.sigma, k.spare)
	b.VPADDD(k.spare, k.a, k.a)
	b.masks(c.w, []reg.VecPhysical{k.a})
	b.done()
}

// quarter is four quarter rounds. Unless whole, it ends where row 0 is ready.
func (k rows) quarter(whole bool) {
	k.half(16, 12)
	if whole {
		k.half(8, 7)
		return
	}
	k.VPADDD(k.b, k.a, k.a)
}

func (k rows) half(dBits, bBits int) {
	k.VPADDD(k.b, k.a, k.a)
	k.turn(dBits, k.a, k.d, k.spare)
	k.VPADDD(k.d, k.c, k.c)
	k.turn(bBits, k.c, k.b, k.spare)
}

// shift turns rows 1 to 3 by those orders of words, so that diagonals stand as
// columns, or back.
func (k rows) shift(b, c, d uint64) {
	k.VPSHUFD(operand.Imm(b), k.b, k.b)
	k.VPSHUFD(operand.Imm(c), k.c, k.c)
	k.VPSHUFD(operand.Imm(d), k.d, k.d)
}
