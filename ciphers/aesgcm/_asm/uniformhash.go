package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uniformSum is a sum of products, unreduced: they weigh 1, x^64 and x^128.
type uniformSum struct{ lo, mi, hi reg.VecPhysical }

// start sets the sum to a product.
func (s uniformSum) start(power Op, data, t reg.VecPhysical) {
	VPCLMULQDQ(U8(0x00), power, data, s.lo)
	VPCLMULQDQ(U8(0x01), power, data, s.mi)
	VPCLMULQDQ(U8(0x10), power, data, t)
	VPCLMULQDQ(U8(0x11), power, data, s.hi)
	VPXORQ(t, s.mi, s.mi)
}

// reduce leaves the sum, reduced, in hi.
func (s uniformSum) reduce(t, poly reg.VecPhysical) {
	VBROADCASTI32X4(polynomial, poly)
	VPCLMULQDQ(U8(0x10), poly, s.lo, t)
	VPSHUFD(U8(0x4e), s.lo, s.lo)
	xor3(s.lo, t, s.mi)
	VPCLMULQDQ(U8(0x10), poly, s.mi, t)
	VPSHUFD(U8(0x4e), s.mi, s.mi)
	xor3(s.mi, t, s.hi)
}

// block has register r of packet i in the byte order of GHASH, in the first of
// scratch: of ciphertext just made, or of what came, the last of which is kept.
func (u *uniform) block(i, r int) []step {
	last, t, m := r == u.n-1, u.t[0], at(uniformWire[i], 64*r)
	switch {
	case !u.open && last:
		return []step{func() { VPSHUFB_Z(reverse, u.texts(i)[r], tailReversed, t) }}
	case !u.open:
		return []step{func() { VPSHUFB(reverse, u.texts(i)[r], t) }}
	case last:
		return []step{
			func() { u.byTail(func(whole bool) { loadTail(m, u.kept(i), whole) }) },
			func() { VPSHUFB(reverse, u.kept(i), t) },
		}
	}
	return []step{
		func() { VMOVDQU64(m, t) },
		func() { VPSHUFB(reverse, t, t) },
	}
}

func loadTail(m Mem, to reg.VecPhysical, whole bool) {
	if whole {
		VMOVDQU64(m, to)
		return
	}
	VMOVDQU8_Z(m, tail, to)
}

// kept is the last register of ciphertext of a packet that is opened.
func (u *uniform) kept(i int) reg.VecPhysical {
	if u.crossed() {
		return u.text[quad+i]
	}
	return u.text[i%2]
}

// hashOf sums up the payload of packet i.
func (u *uniform) hashOf(i int) (steps []step) {
	for r := range u.n {
		power := u.power
		if r < len(u.powers) {
			power = u.powers[r]
		} else {
			steps = append(steps, func() {
				MOVQ(frame(uniformPower), reg.RAX)
				VMOVDQU64(at(reg.RAX, 64*r), power)
			})
		}
		steps = append(steps, u.block(i, r)...)
		steps = append(steps, u.product(i, r, power)...)
	}
	return steps
}

// product adds register r of packet i times powers. Where one of two may wait, outer
// halves of products are added two at a time; for the first packet of a pair, it waits
// where the second one will have its sums.
func (u *uniform) product(i, r int, power reg.VecPhysical) []step {
	s, data, t, t2 := u.sums[i%2], u.t[0], u.t[1], u.t[2]
	if r == 0 {
		return []step{func() { s.start(power, data, t) }}
	}
	waiting := u.waiting
	if i%2 == 0 {
		waiting = []reg.VecPhysical{u.sums[1].lo, u.sums[1].hi}
	}
	paired := waiting != nil
	steps := []step{
		func() { VPCLMULQDQ(U8(0x01), power, data, t) },
		func() { VPCLMULQDQ(U8(0x10), power, data, t2) },
		func() { xor3(t, t2, s.mi) },
	}
	if paired && r%2 == 1 && r < u.n-1 {
		return append(steps,
			func() { VPCLMULQDQ(U8(0x00), power, data, waiting[0]) },
			func() { VPCLMULQDQ(U8(0x11), power, data, waiting[1]) })
	}
	steps = append(steps,
		func() { VPCLMULQDQ(U8(0x00), power, data, t) },
		func() { VPCLMULQDQ(U8(0x11), power, data, t2) })
	if paired && r%2 == 0 {
		return append(steps,
			func() { xor3(t, waiting[0], s.lo) },
			func() { xor3(t2, waiting[1], s.hi) })
	}
	return append(steps,
		func() { VPXORQ(t, s.lo, s.lo) },
		func() { VPXORQ(t2, s.hi, s.hi) })
}

// pair adds halves of the sums of two packets, so that two lanes are left of
// each, and the products of their associated data. The first pair's hash is kept
// until the second's is made.
func (u *uniform) pair(n int) (steps []step) {
	s, data, t := u.sums[0], u.aad[n], u.t
	halves := func(sum, other reg.VecPhysical) {
		VSHUFI64X2(U8(0x44), other, sum, t[0])
		VSHUFI64X2(U8(0xee), other, sum, sum)
	}
	steps = []step{
		func() { halves(s.lo, u.sums[1].lo) },
		func() { VPCLMULQDQ(U8(0x00), u.paired, data, t[1]) },
		func() { xor3(t[0], t[1], s.lo) },
		func() { halves(s.mi, u.sums[1].mi) },
		func() { VPCLMULQDQ(U8(0x01), u.paired, data, t[1]) },
		func() { VPCLMULQDQ(U8(0x10), u.paired, data, t[2]) },
		func() { xor3(t[0], t[1], s.mi) },
		func() { VPXORQ(t[2], s.mi, s.mi) },
		func() { halves(s.hi, u.sums[1].hi) },
		func() { VPCLMULQDQ(U8(0x11), u.paired, data, t[1]) },
		func() { xor3(t[0], t[1], s.hi) },
		func() { s.reduce(t[0], t[1]) },
	}
	if n == 0 {
		steps = append(steps, func() { VMOVDQA64(s.hi, u.hash) })
	}
	return steps
}

// fold adds what is left of the hashes of the quad.
func (u *uniform) fold() []step {
	h, t, t2 := u.sums[0].hi, u.t[0], u.t[1]
	return append([]step{
		func() { VSHUFI64X2(U8(0x88), h, u.hash, t) },
		func() { VSHUFI64X2(U8(0xdd), h, u.hash, t2) },
		func() { VPXORQ(t2, t, t) },
		func() { VPSHUFB(reverse, t, u.hash) },
	}, u.writeTags()...)
}

// endTags ends the tag masks of the quad in work, when those of the quad before are done
// with.
func (u *uniform) endTags() []step {
	return []step{func() {
		findLines()
		VAESENCLAST(line(lineLengths), u.tags, u.mask)
	}}
}

// writeTags masks and writes tags when sealing, those of the quad before.
func (u *uniform) writeTags() []step {
	if u.open {
		return nil
	}
	return []step{func() { VPXORQ(u.mask, u.hash, u.hash) }, func() {
		if u.row && !u.crossed() {
			u.writeBefore()
			return
		}
		for i, wire := range uniformWire {
			writeLane(i, u.hash, Mem{Base: wire, Index: uniformBytes, Scale: 1})
		}
	}}
}

// writeBefore writes the tags of the quad before, whose ciphertexts are not known any
// more. The first quad writes its own, to be overwritten.
func (u *uniform) writeBefore() {
	packet := reg.RCX
	before(packet)
	for i := range quad {
		MOVQ(at(packet, i<<packetShift+packetBuf), reg.RAX)
		writeLane(i, u.hash, Mem{Base: reg.RAX, Index: rowTag, Scale: 1})
	}
}

func writeLane(i int, from reg.VecPhysical, to Mem) {
	if i == 0 {
		VMOVDQU64(from.AsX(), to)
		return
	}
	VEXTRACTI32X4(U8(i), from, to)
}

// verifyTags compares the tags of the quad with those received, and sets
// statuses. Only they depend on the outcome.
func (u *uniform) verifyTags() {
	var m [quad]Mem
	for i, wire := range uniformWire {
		m[i] = Mem{Base: wire, Index: uniformBytes, Scale: 1}
	}
	t := u.t[1]
	gather(m, t)
	VPXORQ(u.mask, u.hash, u.hash)
	VPCMPQ(U8(4), u.hash, t, reg.K4) // a bit for each unequal half
	KMOVB(reg.K4, reg.EAX)
	MOVL(reg.EAX, reg.ECX)
	SHRL(Imm(1), reg.ECX)
	ORL(reg.ECX, reg.EAX)
	MOVL(U32(0x55), reg.ECX)
	PEXTL(reg.ECX, reg.EAX, reg.EAX)
	MOVL(U32(0x01010101), reg.ECX)
	PDEPL(reg.ECX, reg.EAX, reg.EAX)
	ADDL(reg.EAX, frame(uniformFailed))
	ADDL(reg.ECX, reg.EAX) // statusOK, or one more: statusAuth
	for i := range quad {
		MOVB(reg.AL, u.field(i, packetStatus))
		SHRL(Imm(8), reg.EAX)
	}
}
