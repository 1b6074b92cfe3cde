package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Short packets are hashed across: block n of all four in one register, times the
// power that is theirs. Sums need no folding then, and one reduction does for four
// packets. It costs two shuffles for a register, and pays while those are less than
// what folding costs.

// crossHash hashes the payloads of the quad, onto the associated data, and makes its
// tags.
func (u *uniform) crossHash(blocks func(r int) (x, from []reg.VecPhysical, steps []step)) (steps []step) {
	s := u.cross
	s.begun = true
	for r := range u.n {
		x, _, _ := blocks(r)
		steps = append(steps, u.crossBlocks(blocks, r)...)
		for j, b := range []reg.VecPhysical{x[0], x[1], x[2], x[3]} {
			steps = append(steps, s.times(b, func(dst Op) {
				MOVQ(frame(uniformPower), reg.RAX)
				VBROADCASTI32X4(at(reg.RAX, 64*r+16*j), dst)
			})...)
		}
	}
	steps = append(steps, s.reduce()...)
	return append(append(steps, func() { VPSHUFB(reverse, u.hash, u.hash) }), u.writeTags()...)
}

// crossBlocks has block n of register r of each packet in one register.
func (u *uniform) crossBlocks(blocks func(r int) (x, from []reg.VecPhysical, steps []step), r int) []step {
	x, from, steps := blocks(r)
	return append(append(steps, u.reverseAll(x, from, r)...), u.transpose(x)...)
}

// crossSealed has register r of the ciphertexts just made, crossReceived of those
// that came.
func (u *uniform) crossSealed(r int) (x, from []reg.VecPhysical, steps []step) {
	for i := range quad {
		x = append(x, u.texts(i)[r])
	}
	return x, x, nil
}

func (u *uniform) crossReceived(r int) (x, from []reg.VecPhysical, steps []step) {
	x = u.text[:quad]
	load := func(to []reg.VecPhysical, whole bool) {
		for i, t := range to {
			loadTail(at(uniformWire[i], 64*r), t, whole)
		}
	}
	if r < u.n-1 {
		return x, x, []step{func() { load(x, true) }}
	}
	from = u.text[quad:]
	return x, from, []step{func() { u.byTail(func(whole bool) { load(from, whole) }) }}
}

// reverseAll has register r of each packet in the byte order of GHASH. What is sealed
// goes beyond the payload.
func (u *uniform) reverseAll(x, from []reg.VecPhysical, r int) (steps []step) {
	for i := range x {
		if r == u.n-1 && !u.open {
			steps = append(steps, func() { VPSHUFB_Z(reverse, from[i], tailReversed, x[i]) })
		} else {
			steps = append(steps, func() { VPSHUFB(reverse, from[i], x[i]) })
		}
	}
	return steps
}

// transpose puts lane i of x[j] into lane j of x[i].
func (u *uniform) transpose(x []reg.VecPhysical) (steps []step) {
	t := u.t[:2]
	shuffle := func(how uint8, a, b, to reg.VecPhysical) {
		steps = append(steps, func() { VSHUFI64X2(U8(how), b, a, to) })
	}
	for i := range t { // lower halves to t, upper ones to x[0] and x[2]
		shuffle(0x44, x[2*i], x[2*i+1], t[i])
		shuffle(0xee, x[2*i], x[2*i+1], x[2*i])
	}
	shuffle(0xdd, x[0], x[2], x[3])
	shuffle(0x88, x[0], x[2], x[2])
	shuffle(0x88, t[0], t[1], x[0])
	shuffle(0xdd, t[0], t[1], x[1])
	return steps
}

// crossAssociated begins the sum with the associated data. Those of one block, the
// usual case, cost one product for four packets.
func (u *uniform) crossAssociated() []step {
	one, two := u.cross, u.cross
	return []step{func() {
		short, done := u.label("uniformShort"), u.label("uniformDone")
		CMPQ(frame(uniformMore), Imm(0))
		JEQ(LabelRef(short))
		u.twoBlocks()
		emitAll(two.times(u.t[0], u.powerBefore(0)))
		two.t = two.t[:5]
		emitAll(two.times(u.t[5], u.powerBefore(16)))
		JMP(LabelRef(done))
		Label(short)
		u.oneBlock()
		emitAll(one.times(u.t[0], u.powerBefore(0)))
		Label(done)
	}}
}

// powerBefore loads a power for associated data.
func (u *uniform) powerBefore(offset int) func(dst Op) {
	return func(dst Op) {
		MOVQ(frame(uniformBefore), reg.RAX)
		VBROADCASTI32X4(at(reg.RAX, offset), dst)
	}
}

// oneBlock gathers the associated data of four packets, all of which are one block.
func (u *uniform) oneBlock() {
	x, t := u.t[0], u.t[1]
	for i := range quad {
		m := u.associated(i)
		switch {
		case u.row:
			insert(i, m, x)
		case i == 0:
			VMOVDQU8_Z(m, aadBytes, x.AsX())
		default:
			VMOVDQU8_Z(m, aadBytes, t.AsX())
			VINSERTI32X4(U8(i), t.AsX(), x, x)
		}
	}
	if u.row {
		VPSHUFB_Z(reverse, x, aadBytes, x)
	} else {
		VPSHUFB(reverse, x, x)
	}
}

// twoBlocks has the first blocks of their associated data in one register and the
// second ones in another.
func (u *uniform) twoBlocks() {
	x, y := u.t[5], u.t[6]
	emitAll(u.loadPair(0, x, u.t[0], aadMore))
	emitAll(u.loadPair(1, y, u.t[0], aadMore))
	VSHUFI64X2(U8(0x88), y, x, u.t[0])
	VSHUFI64X2(U8(0xdd), y, x, x)
}
