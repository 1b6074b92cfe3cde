package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where masks are wanted, packets lie one behind the other and are alike. The masks of
// whole quads are made when the next group is begun, while the ciphertext of those before
// is near. The packet that waits for its tag has its quad's made with the next ones.

// lastQuads are those whose masks are left at the end: of a group and of the one that
// waits.
const lastQuads = oneInGroup/quad + 1

// groupMasks makes the masks of the quads that are whole when a group is begun.
func (o one) groupMasks() {
	packet := reg.RCX
	CMPQ(frame(oneMaskRow), Imm(0))
	JE(LabelRef("masked"))
	o.address(packet, at(order, 0))
	SUBQ(I32(2*quad<<packetShift), packet)
	o.quadMasks(packet, oneInGroup/quad)
	Label("masked")
}

// endMasks makes the masks that are left.
func (o one) endMasks() {
	packet := reg.RCX
	CMPQ(frame(oneMaskRow), Imm(0))
	JE(LabelRef("unmasked"))
	MOVQ(frame(frameTaken), packet)
	ANDQ(I32(-quad), packet)
	SHLQ(Imm(packetShift), packet)
	ADDQ(NewParamAddr("packets", 0), packet)
	SUBQ(I32(quad<<packetShift), packet)
	o.quadMasks(packet, lastQuads)
	Label("unmasked")
}

// quadMasks makes the masks of n quads, of which the last begins with that packet. Before
// the first quad there is none: it stands for those.
func (o one) quadMasks(last reg.GPPhysical, n int) {
	packet, first, t, x := reg.RDX, reg.R14, reg.RAX, states[:n]
	MOVQ(NewParamAddr("packets", 0), first)
	quads := func(do func(i int)) {
		for i := range n {
			LEAQ(at(last, -i*quad<<packetShift), packet)
			CMPQ(packet, first)
			CMOVQCS(first, packet)
			do(i)
		}
	}
	quads(func(i int) { samples(packet, first, t, x[i]) })
	keys := first
	MOVQ(at(first, packetMaskKey), keys)
	MOVQ(at(keys, keySchedule), keys)
	for r := range o.rounds + 1 {
		o.singleRound(r, keys, roundKey, x...)
	}
	MOVQ(NewParamAddr("packets", 0), first)
	quads(func(i int) {
		SUBQ(first, packet)
		SHRQ(Imm(packetShift-maskShift), packet)
		ADDQ(frame(oneMaskRow), packet)
		VMOVDQU64(x[i], at(packet, 0))
	})
}

// samples gathers the samples of four packets, whose place in a packet the first one says.
func samples(packet, first, t reg.GPPhysical, x reg.VecPhysical) {
	for i := range quad {
		MOVWLZX(at(first, packetSampleOff), t.As32())
		ADDQ(at(packet, i<<packetShift+packetBuf), t)
		insert(i, at(t, 0), x)
	}
}
