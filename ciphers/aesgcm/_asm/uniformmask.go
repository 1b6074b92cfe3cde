package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel for uniform packets that also makes header-protection masks has each quad's
// made in the middle of the next but one, when its ciphertext is in memory,
// between the rounds of that. Its packets lie one behind the other and are known to be
// alike, so that it compares nothing.

// What a ciphers.Packet and a ciphers.Key have for masks.
const (
	packetMaskKey   = 56
	packetSampleOff = 124
	keySchedule     = 64 // of SlotBulk
	maskShift       = 4  // log2 of a mask's size
)

// What general registers hold besides.
var (
	maskPacket = reg.RDX // the first packet of the quad whose masks are made
	maskKeys   = reg.R14 // the address of the mask key's schedule
)

// The frame of such a kernel, behind that of the others.
const (
	uniformSample = uniformFrame      // where samples start in Buf
	uniformMasks  = uniformSample + 8 // where the first mask goes, less the number of the first packet
	uniformLast   = uniformMasks + 8  // the first packet of the quad before the one in work
	maskedFrame   = uniformLast + 8
)

// emitMasked writes the function that seals quads and makes their masks.
func (k kernel) emitMasked(name string) {
	q := quads{kernel: k, row: true, masks: true}
	q.emit(name, "func(packets *byte, quads, slot int, masks *byte)", maskedFrame)
}

// startMasks finds what masks need; all packets have it in common. Before the first
// quad there is none: it stands for those.
func (u *uniform) startMasks() {
	packet, t := uniformPacket[0], reg.RAX
	MOVWLZX(at(packet, packetSampleOff), t.As32())
	MOVQ(t, frame(uniformSample))
	Load(Param("masks"), reg.RCX)
	maskPlace(packet, t)
	SUBQ(t, reg.RCX)
	MOVQ(reg.RCX, frame(uniformMasks))
	MOVQ(at(packet, packetMaskKey), t)
	MOVQ(at(t, keySchedule), maskKeys)
	MOVQ(packet, maskPacket)
	MOVQ(packet, frame(uniformLast))
}

// maskPlace is where the mask of a packet lies for one at address 0. Packets lie at
// multiples of 8, so that a rotation is a division.
func maskPlace(packet, to reg.Register) { RORXQ(Imm(packetShift-maskShift), packet, to) }

// headerMasks makes masks between other steps. The first two quads make those of the
// first too early, over which it makes the right ones.
func (u *uniform) headerMasks() []step {
	return append(u.masksOf(u.headers), func() {
		MOVQ(frame(uniformLast), maskPacket)
		MOVQ(uniformPacket[0], frame(uniformLast))
	})
}

// masksOf makes the masks of the quad at maskPacket in the first register, those of the
// quad behind it in a second one.
func (u *uniform) masksOf(x ...reg.VecPhysical) (steps []step) {
	for i := range x {
		steps = append(steps, func() { u.samples(maskedQuad(i), x[i]) })
	}
	for r := range u.rounds + 1 {
		steps = append(steps, func() { u.singleRound(r, maskKeys, u.key, x...) })
	}
	for i := range x {
		steps = append(steps, func() { u.writeMasks(maskedQuad(i), x[i]) })
	}
	return steps
}

func maskedQuad(i int) reg.Register {
	if i == 0 {
		return maskPacket
	}
	MOVQ(frame(uniformLast), reg.RCX)
	return reg.RCX
}

// drainMasked is drain with the masks of the last quads, which are one where there is
// only one.
func (u *uniform) drainMasked() []step {
	return merge(u.drain(), u.masksOf(u.headers, u.state[0]))
}

// samples gathers the samples of the quad whose first packet is at packet.
func (u *uniform) samples(packet reg.Register, x reg.VecPhysical) {
	for i := range quad {
		MOVQ(frame(uniformSample), reg.RAX)
		ADDQ(at(packet, i<<packetShift+packetBuf), reg.RAX)
		insert(i, at(reg.RAX, 0), x)
	}
}

// writeMasks writes the masks of the quad whose first packet is at packet.
func (u *uniform) writeMasks(packet reg.Register, x reg.VecPhysical) {
	maskPlace(packet, reg.RAX)
	ADDQ(frame(uniformMasks), reg.RAX)
	VMOVDQU64(x, at(reg.RAX, 0))
}
