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
	uniformSample = uniformFrame      // where samples start in Buf
	uniformMasks  = uniformSample + 8 // where the first mask goes
	maskedFrame   = uniformMasks + 8
)

// emitMasked writes the function that seals quads and makes their masks.
func (k kernel) emitMasked(name string) {
	q := quads{kernel: k, row: true, masks: true}
	q.emit(name, "func(packets *byte, quads, slot int, masks *byte)", maskedFrame)
}

// startMasks finds what masks need; all packets have it in common.
func (u *uniform) startMasks() {
	packet, t := uniformPacket[0], reg.RAX
	MOVWLZX(at(packet, packetSampleOff), t.As32())
	MOVQ(t, frame(uniformSample))
	Load(Param("masks"), t)
	MOVQ(t, frame(uniformMasks))
	MOVQ(at(packet, packetMaskKey), t)
	MOVQ(at(t, keySchedule), maskKeys)
}

// headerMasks makes masks between other steps. The first two quads make those of the
// first too early, over which it makes the right ones.
func (u *uniform) headerMasks() (steps []step) {
	packet := reg.RCX
	steps = []step{func() { before(maskDelay, packet); u.samples(packet, u.headers) }}
	for r := range u.rounds + 1 {
		steps = append(steps, func() { u.singleRound(r, maskKeys, u.key, u.headers) })
	}
	return append(steps, func() { before(maskDelay, packet); u.writeMasks(packet, u.headers) })
}

// endMasks makes the masks of the last quads, which are one where there is only one,
// when the place of the quad in work is behind them.
func (u *uniform) endMasks() {
	packet, last := reg.RCX, [maskDelay]reg.VecPhysical{u.headers, u.t[0]}
	for n, x := range last {
		before(n+1, packet)
		u.samples(packet, x)
	}
	for r := range u.rounds + 1 {
		u.singleRound(r, maskKeys, u.key, last[:]...)
	}
	for n, x := range last {
		before(n+1, packet)
		u.writeMasks(packet, x)
	}
}

// samples gathers the samples of the quad whose first packet is at packet.
func (u *uniform) samples(packet reg.Register, x reg.VecPhysical) {
	for i := range quad {
		MOVQ(frame(uniformSample), reg.RAX)
		ADDQ(at(packet, i<<packetShift+packetBuf), reg.RAX)
		insert(i, at(reg.RAX, 0), x)
	}
}

// writeMasks writes the masks of the quad whose first packet is at packet, which it
// overwrites.
func (u *uniform) writeMasks(packet reg.Register, x reg.VecPhysical) {
	SUBQ(frame(uniformFirst), packet)
	SHRQ(Imm(packetShift-maskShift), packet)
	ADDQ(frame(uniformMasks), packet)
	VMOVDQU64(x, at(packet, 0))
}
