package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel for uniform packets that also makes header-protection masks has each quad's
// made in the middle of the next but one, when its ciphertext and tags are in memory,
// between the rounds of that. Its packets lie one behind the other and are known to be
// alike, so that it compares nothing.

// What a ciphers.Packet and a ciphers.Key have for masks.
const (
	packetMaskKey   = 56
	packetSampleOff = 124
	keySchedule     = 64 // of SlotBulk
	maskShift       = 4  // log2 of a mask's size
)

// maskDelay is how many quads those whose masks are made lie behind the one in work.
const maskDelay = 2

// maskKeys is the address of the mask key's schedule.
var maskKeys = reg.R14

// The frame of such a kernel, behind that of the others.
const (
	uniformFirstPacket = uniformFrame           // its address
	uniformSample      = uniformFirstPacket + 8 // where samples start in Buf
	uniformMasks       = uniformSample + 8      // where the first mask goes
	maskedFrame        = uniformMasks + 8
)

// emitMasked writes the function that seals quads and makes their masks.
func (k kernel) emitMasked(name string) {
	k.emitQuads(name, "func(packets, order *byte, quads, slot int, masks *byte)", maskedFrame, true)
}

// startMasks finds what masks need; all packets have it in common.
func (u *uniform) startMasks() {
	packet, t := reg.RCX, reg.RAX
	Load(Param("packets"), packet)
	MOVQ(packet, frame(uniformFirstPacket))
	MOVWLZX(at(packet, packetSampleOff), t.As32())
	MOVQ(t, frame(uniformSample))
	Load(Param("masks"), t)
	MOVQ(t, frame(uniformMasks))
	MOVQ(at(packet, packetMaskKey), t)
	MOVQ(at(t, keySchedule), maskKeys)
}

// before finds the first packet of the quad that lies so many quads before the one in
// work. Before the first there is none: it stands for those.
func before(quads int, packet reg.Register) {
	LEAQ(at(uniformPacket[0], -quads*quad<<packetShift), packet)
	CMPQ(packet, frame(uniformFirstPacket))
	CMOVQCS(frame(uniformFirstPacket), packet)
}

// withMasks puts the making of masks between other steps, its rounds evenly. The first
// two quads make masks of the first too early, over which it makes the right ones.
func (u *uniform) withMasks(steps []step) (all []step) {
	packet := reg.RCX
	all = []step{func() { before(maskDelay, packet); u.samples(packet, u.mask) }}
	rounds := u.rounds + 1
	for r := range rounds {
		all = append(all, steps[len(steps)*r/rounds:len(steps)*(r+1)/rounds]...)
		all = append(all, func() { u.maskRound(r, u.mask) })
	}
	return append(all, func() { before(maskDelay, packet); u.writeMasks(packet, u.mask) })
}

// endMasks makes the masks of the last quads, which are one where there is only one.
func (u *uniform) endMasks() {
	packet, last := reg.RCX, [maskDelay]reg.VecPhysical{u.mask, uniformT[0]}
	for n, x := range last {
		before(n, packet)
		u.samples(packet, x)
	}
	for r := range u.rounds + 1 {
		u.maskRound(r, last[:]...)
	}
	for n, x := range last {
		before(n, packet)
		u.writeMasks(packet, x)
	}
}

// samples gathers the samples of the quad whose first packet is at packet.
func (u *uniform) samples(packet reg.Register, x reg.VecPhysical) {
	for i := range quad {
		MOVQ(frame(uniformSample), reg.RAX)
		ADDQ(at(packet, i<<packetShift+packetBuf), reg.RAX)
		if i == 0 {
			VMOVDQU64(at(reg.RAX, 0), x.AsX())
			continue
		}
		VINSERTI32X4(U8(i), at(reg.RAX, 0), x, x)
	}
}

// maskRound does a round of the AES of masks.
func (u *uniform) maskRound(r int, x ...reg.VecPhysical) {
	VBROADCASTI32X4(at(maskKeys, 16*r), uniformKey)
	for _, x := range x {
		switch r {
		case 0:
			VPXORQ(uniformKey, x, x)
		case u.rounds:
			VAESENCLAST(uniformKey, x, x)
		default:
			VAESENC(uniformKey, x, x)
		}
	}
}

// writeMasks writes the masks of the quad whose first packet is at packet, which it
// overwrites.
func (u *uniform) writeMasks(packet reg.Register, x reg.VecPhysical) {
	SUBQ(frame(uniformFirstPacket), packet)
	SHRQ(Imm(packetShift-maskShift), packet)
	ADDQ(frame(uniformMasks), packet)
	VMOVDQU64(x, at(packet, 0))
}
