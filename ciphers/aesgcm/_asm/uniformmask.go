package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel for uniform packets that also makes header-protection masks has those of one
// quad made between the rounds of another behind it. Its packets lie one behind the other
// and are known to be alike, so that it compares nothing.
//
// Samples of QUIC and DTLS 1.3 begin in the first block of a payload. What is hashed across
// has first blocks of four packets in one register, and takes samples from there and from
// the next blocks, or from the tags where packets of one register are so short. It does so
// when the quad behind is done, so that masks of the quad before that wait for nothing.
// Longer packets have their samples loaded before their places are forgotten.

// What a ciphers.Packet and a ciphers.Key have for masks.
const (
	packetMaskKey   = 56
	packetSampleOff = 124
	keySchedule     = 64 // of SlotBulk
	maskShift       = 4  // log2 of a mask's size
)

// What general registers hold besides.
var (
	maskPlace = reg.RDX // where the masks go that are made next
	maskKeys  = reg.R14 // the address of the mask key's schedule
)

// What lies in whole cache lines of the frame besides: how bytes of the first two blocks
// and of the tag become a sample.
const (
	lineFirst = numLines + iota
	lineSecond
	lineReached
	numMaskLines
)

// The frame of such a kernel, behind that of the others.
const (
	uniformSample = uniformFrame + 64*(numMaskLines-numLines) // where samples start in payloads
	maskedFrame   = uniformSample + 8
)

// emitMasked writes the function that seals quads and makes their masks.
func (k kernel) emitMasked(name string) {
	q := quads{kernel: k, row: true, masks: true}
	q.emit(name, "func(packets *byte, quads, slot int, masks *byte)", maskedFrame)
}

// findSample finds where samples start, and goes on to label if they reach into tags.
func (q quads) findSample(label string) {
	packet, sample, off := uniformPacket[0], reg.RAX, reg.RCX
	MOVWLZX(at(packet, packetSampleOff), sample.As32())
	MOVWLZX(at(packet, packetOff), off.As32())
	SUBQ(off, sample)
	MOVQ(sample, frame(uniformSample))
	ADDQ(Imm(16), sample)
	CMPQ(sample, uniformBytes)
	JGT(LabelRef(label))
}

// startMasks finds what masks need; all packets have it in common.
func (u *uniform) startMasks() {
	packet, late := uniformPacket[0], 1
	MOVQ(at(packet, packetMaskKey), maskKeys)
	MOVQ(at(maskKeys, keySchedule), maskKeys)
	if u.crossed() {
		u.startSamples()
		late = 2
	} else {
		emitAll(u.decode())
	}
	Load(Param("masks"), maskPlace)
	SUBQ(I32(late*quad<<maskShift), maskPlace)
}

// startSamples sets how bytes are shuffled to samples. Blocks are in the byte order of
// GHASH then and tags are not. What comes from elsewhere has the highest bit set.
func (u *uniform) startSamples() {
	x, t, n := u.t[0], u.t[1], reg.ECX
	findLines()
	MOVL(frame(uniformSample), n)
	VPBROADCASTB(n, t)
	VPSUBB(t, reverse, x)
	VMOVDQA64(x, line(lineFirst))
	if u.reach {
		ADDL(Imm(15), n)
		SUBL(uniformBytes.As32(), n)
		VPBROADCASTB(n, t)
		VPSUBB(reverse, t, t)
		VMOVDQA64(t, line(lineReached))
	}
	MOVL(U32(0x80), n)
	VPBROADCASTB(n, t)
	VPXORQ(t, x, x)
	VMOVDQA64(x, line(lineSecond))
}

// crossMasked makes the masks of one quad while there is work for those behind it, and
// then has the samples of the next one. They are made of tags behind the steps of hash, as
// long as those are there.
func (u *uniform) crossMasked(hash, rest []step) []step {
	masks := u.headerMasks(u.headers)
	if u.leading {
		masks = []step{u.nextMasks}
	}
	if !u.reach {
		return append(merge(append(hash, rest...), masks), u.crossSamples(u.headers)...)
	}
	work := append(append(hash, u.crossSamples(u.reached)...), rest...)
	return append(merge(work, masks), func() { VMOVDQA64(u.reached, u.headers) })
}

// lead takes the first two quads, before which there are none to make masks of, and goes
// on to label over if they are the last.
func (u *uniform) lead(over string) {
	again := u.label("uniformLead")
	u.leading = true
	Label(again)
	u.quad()
	u.advance()
	JZ(LabelRef(over))
	CMPQ(maskPlace, masksParam())
	JCS(LabelRef(again))
	u.leading = false
}

// crossDrain makes those of the last two quads, of which hash is for the last one.
func (u *uniform) crossDrain(hash []step) []step {
	ready, last := len(u.crossBlocks(u.crossSealed, 0)), u.state[0]
	if u.reach {
		ready = len(hash)
	}
	steps := append(hash[:ready:ready], u.crossSamples(last)...)
	return append(steps, merge(hash[ready:], u.headerMasks(u.headers, last))...)
}

// crossSamples takes samples from the first blocks of packets and from their tags.
func (u *uniform) crossSamples(to reg.VecPhysical) (steps []step) {
	add := func(n int, from reg.VecPhysical) {
		steps = append(steps, func() {
			findLines()
			VPSHUFB(line(n), from, u.key)
			VPXORQ(u.key, to, to)
		})
	}
	steps = append(steps, func() {
		findLines()
		VPSHUFB(line(lineFirst), u.texts(0)[0], to)
	})
	add(lineSecond, u.texts(1)[0])
	if u.reach {
		add(lineReached, u.hash)
	}
	return steps
}

// samples loads those of the quad whose ciphertexts are known.
func (u *uniform) samples() {
	MOVQ(frame(uniformSample), reg.RAX)
	for i, wire := range uniformWire {
		insert(i, Mem{Base: wire, Index: reg.RAX, Scale: 1}, u.headers)
	}
}

// headerMasks makes masks of the samples in each of x.
func (u *uniform) headerMasks(x ...reg.VecPhysical) (steps []step) {
	for r := range u.rounds + 1 {
		steps = append(steps, func() { u.singleRound(r, maskKeys, u.key, x...) })
	}
	for _, x := range x {
		steps = append(steps, func() { u.writeMasks(x) })
	}
	return steps
}

// writeMasks writes the masks of a quad. Before the first quad there is none: what is made
// for it goes to the place of the first one's, which come later.
func (u *uniform) writeMasks(x reg.VecPhysical) {
	first := reg.RAX
	MOVQ(masksParam(), first)
	CMPQ(maskPlace, first)
	CMOVQHI(maskPlace, first)
	VMOVDQU64(x, at(first, 0))
	u.nextMasks()
}

func (u *uniform) nextMasks() { ADDQ(Imm(quad<<maskShift), maskPlace) }

// masksParam is where the first masks go.
func masksParam() Mem { return NewParamAddr("masks", 24) }
