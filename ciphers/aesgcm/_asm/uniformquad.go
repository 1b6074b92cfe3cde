package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quad processes four packets.
func (u *uniform) quad() {
	u.startTags()
	for wave := range quad / u.inStep {
		u.startWave(wave)
		states := uniformState[:u.inStep*u.n]
		if wave == 0 {
			states = append(states[:len(states):len(states)], uniformTags)
		}
		fill := u.fill(wave)
		if u.masks && wave == 0 {
			fill = u.withMasks(fill)
		}
		u.middle(states, fill)
		if wave == 0 {
			VAESENCLAST(uniformLast, uniformTags, uniformMask)
		}
		for i := range u.inStep {
			u.finish(wave*u.inStep + i)
		}
	}
	if u.open {
		u.verifyTags()
	}
}

// fill is what goes on between the rounds of a wave. The parts of the quad in
// work are found as soon as those of the quad before are done with.
func (u *uniform) fill(wave int) (steps []step) {
	switch {
	case u.open && wave == 0:
		return append(u.decode(), u.hashWave(wave, u.received)...)
	case u.open:
		return u.hashWave(wave, u.received)
	case wave == 0:
		return append(u.hashWave(quad/u.inStep-1, u.sealed), u.decode()...)
	}
	return u.hashWave(wave-1, u.sealed)
}

// middle emits the rounds between the first and the last.
func (u *uniform) middle(x []reg.VecPhysical, fill []step) {
	for r := 1; r < u.rounds; r++ {
		k := u.keys[r]
		if k == nil {
			k = uniformKey
			VBROADCASTI32X4(key(uniformKeys, r), k)
		}
		for _, state := range x {
			VAESENC(k, state, state)
		}
		fill = spread(fill, u.rounds-r)
	}
	emitAll(fill)
}

// startTags makes the first counter blocks of the quad.
func (u *uniform) startTags() {
	var m [quad]Mem
	for i, p := range uniformPacket {
		m[i] = at(p, packetNonce)
	}
	gather(m, uniformTags)
	VMOVDQA32_Z(uniformTags, nonceWords, uniformTags)
	if u.n == 1 {
		xor3(uniformFirst, secondTable, uniformTags)
		return
	}
	VBROADCASTI32X4(firstTable, uniformT[0])
	xor3(uniformT[0], uniformFirst, uniformTags)
}

// startWave makes the counter blocks of a wave. With one register a packet, the
// counters are part of uniformFirst.
func (u *uniform) startWave(wave int) {
	for i := range u.inStep {
		base, x := uniformT[0], u.state(i)
		if u.n == 1 {
			base = x[0]
		}
		VBROADCASTI32X4_Z(at(uniformPacket[wave*u.inStep+i], packetNonce), nonceWords, base)
		VPXORQ(uniformFirst, base, base)
		for r := 0; u.n > 1 && r < u.n; r++ {
			VPXORQ(counterTable.Offset(64*r), base, x[r])
		}
	}
}

// state and text are the registers of packet i of a wave.
func (u *uniform) state(i int) []reg.VecPhysical {
	return uniformState[i%u.inStep*u.n:][:u.n]
}

func (u *uniform) text(i int) []reg.VecPhysical {
	return uniformSealed[i%u.inStep*u.n:][:u.n]
}

// decode finds the ciphertexts of the quad and loads its associated data.
func (u *uniform) decode() (steps []step) {
	for i := range quad {
		packet, wire := uniformPacket[i], uniformWire[i]
		steps = append(steps, u.associated(i)...)
		steps = append(steps,
			func() { MOVWLZX(at(packet, packetOff), wire.As32()) },
			func() { ADDQ(at(packet, packetBuf), wire) })
		if !u.open {
			steps = append(steps, func() { MOVB(U8(statusOK), at(packet, packetStatus)) })
		}
	}
	return steps
}

// associated loads the associated data of packet i behind those of an even one.
func (u *uniform) associated(i int) []step {
	packet, pair, data := uniformPacket[i], uniformAAD[i/2], uniformAAD[i/2]
	if i%2 == 1 {
		data = uniformT[0]
	}
	steps := []step{
		func() { MOVWLZX(at(packet, packetAADOff), reg.ECX) },
		func() { ANDQ(frame(uniformRange), reg.RCX) },
		func() { ADDQ(u.base(packet), reg.RCX) },
		func() { VMOVDQU8_Z(at(reg.RCX, 0), aadBytes, data.AsY()) },
	}
	if i%2 == 1 {
		steps = append(steps,
			func() { VINSERTI64X4(U8(1), data.AsY(), pair, pair) },
			func() { VPSHUFB(reverse, pair, pair) })
	}
	return steps
}

// base is where a packet keeps the base of its associated data.
func (u *uniform) base(packet reg.Register) Mem {
	if u.masks { // nothing is outside the buffer
		return at(packet, packetBuf)
	}
	return Mem{Base: packet, Index: uniformFrom, Scale: 1}
}

// finish ends the cipher of packet i and writes what it made.
func (u *uniform) finish(i int) {
	packet, wire, plain := uniformPacket[i], uniformWire[i], reg.RAX
	MOVQ(at(packet, packetPlain), plain)
	TESTQ(plain, plain)
	CMOVQEQ(wire, plain)
	for r, x := range u.state(i) {
		if u.open {
			u.decrypt(x, u.text(i)[r], plain, r)
		} else {
			u.encrypt(x, u.text(i)[r], plain, wire, r)
		}
	}
}

func (u *uniform) encrypt(x, sealed reg.VecPhysical, plain, wire reg.Register, r int) {
	t := uniformT[0]
	if r < u.n-1 {
		VPXORQ(at(plain, 64*r), u.keys[u.rounds], t)
		VAESENCLAST(t, x, sealed)
		VMOVDQU64(sealed, at(wire, 64*r))
		return
	}
	VMOVDQU8_Z(at(plain, 64*r), tail, t)
	VPXORQ(t, u.keys[u.rounds], t)
	VAESENCLAST(t, x, sealed)
	VMOVDQU8(sealed, tail, at(wire, 64*r))
}

func (u *uniform) decrypt(x, received reg.VecPhysical, plain reg.Register, r int) {
	VPXORQ(received, u.keys[u.rounds], received)
	VAESENCLAST(received, x, x)
	if r < u.n-1 {
		VMOVDQU64(x, at(plain, 64*r))
		return
	}
	VMOVDQU8(x, tail, at(plain, 64*r))
}
