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

// hashWave hashes the packets of a wave, those of a pair into one register, and
// with the last of them makes the tags of the quad.
func (u *uniform) hashWave(wave int, block func(i, r int) []step) (steps []step) {
	for i := wave * u.inStep; i < (wave+1)*u.inStep; i++ {
		steps = append(steps, u.hash(i, block)...)
		if i%2 == 1 {
			steps = append(steps, u.pair(i/2)...)
		}
	}
	if wave == quad/u.inStep-1 {
		steps = append(steps, u.tags()...)
	}
	return steps
}

// sealed has a register of ciphertext just made in the byte order of GHASH, in
// the first of scratch; received has it from the packet, and keeps it.
func (u *uniform) sealed(i, r int) []step {
	text := u.text(i)[r]
	if r == u.n-1 {
		return []step{func() { VPSHUFB_Z(reverse, text, tailReversed, uniformT[0]) }}
	}
	return []step{func() { VPSHUFB(reverse, text, uniformT[0]) }}
}

func (u *uniform) received(i, r int) []step {
	text, m := u.text(i)[r], at(uniformWire[i], 64*r)
	get := func() { VMOVDQU64(m, text) }
	if r == u.n-1 {
		get = func() { VMOVDQU8_Z(m, tail, text) }
	}
	return []step{get, func() { VPSHUFB(reverse, text, uniformT[0]) }}
}

// hash sums up the payload of packet i.
func (u *uniform) hash(i int, block func(i, r int) []step) (steps []step) {
	for r := range u.n {
		power := u.power
		if r < len(u.powers) {
			power = u.powers[r]
		} else {
			steps = append(steps,
				func() { MOVQ(frame(uniformPower), reg.RAX) },
				func() { VMOVDQU64(at(reg.RAX, 64*r), power) })
		}
		steps = append(steps, block(i, r)...)
		steps = append(steps, u.product(i, r, power)...)
	}
	return steps
}

// product adds register r of packet i times powers. For the first packet of a
// pair, outer halves of products are added two at a time; one of two waits where
// the second packet will have its sums.
func (u *uniform) product(i, r int, power reg.VecPhysical) []step {
	s, data, t, t2 := uniformSums[i%2], uniformT[0], uniformT[1], uniformT[2]
	if r == 0 {
		return []step{func() { s.start(power, data, t) }}
	}
	paired, waiting := i%2 == 0, [2]reg.VecPhysical{uniformSums[1].lo, uniformSums[1].hi}
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
	s, data, t := uniformSums[0], uniformAAD[n], uniformT
	halves := func(sum, other reg.VecPhysical) {
		VSHUFI64X2(U8(0x44), other, sum, t[0])
		VSHUFI64X2(U8(0xee), other, sum, sum)
	}
	steps = []step{
		func() { halves(s.lo, uniformSums[1].lo) },
		func() { VPCLMULQDQ(U8(0x00), uniformPowers, data, t[1]) },
		func() { xor3(t[0], t[1], s.lo) },
		func() { halves(s.mi, uniformSums[1].mi) },
		func() { VPCLMULQDQ(U8(0x01), uniformPowers, data, t[1]) },
		func() { VPCLMULQDQ(U8(0x10), uniformPowers, data, t[2]) },
		func() { xor3(t[0], t[1], s.mi) },
		func() { VPXORQ(t[2], s.mi, s.mi) },
		func() { halves(s.hi, uniformSums[1].hi) },
		func() { VPCLMULQDQ(U8(0x11), uniformPowers, data, t[1]) },
		func() { xor3(t[0], t[1], s.hi) },
		func() { s.reduce(t[0], t[1]) },
	}
	if n == 0 {
		steps = append(steps, func() { VMOVDQA64(s.hi, uniformHash) })
	}
	return steps
}

// tags folds the hashes of the quad. When sealing it masks them, which are the
// quad before's, and writes them.
func (u *uniform) tags() []step {
	h, t, t2 := uniformSums[0].hi, uniformT[0], uniformT[1]
	steps := []step{
		func() { VSHUFI64X2(U8(0x88), h, uniformHash, t) },
		func() { VSHUFI64X2(U8(0xdd), h, uniformHash, t2) },
		func() { VPXORQ(t2, t, t) },
		func() { VPSHUFB(reverse, t, uniformHash) },
	}
	if u.open {
		return steps
	}
	return append(steps, func() { VPXORQ(uniformMask, uniformHash, uniformHash) }, func() {
		for i, wire := range uniformWire {
			writeLane(i, uniformHash, Mem{Base: wire, Index: uniformBytes, Scale: 1})
		}
	})
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
	t := uniformT[1]
	gather(m, t)
	VPXORQ(uniformMask, uniformHash, uniformHash)
	VPCMPQ(U8(4), uniformHash, t, reg.K4) // a bit for each unequal half
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
	for _, packet := range uniformPacket {
		MOVB(reg.AL, at(packet, packetStatus))
		SHRL(Imm(8), reg.EAX)
	}
}
