package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A quad is four packets of at most one register each: states in Z0 to Z3, hashes
// in Z5 to Z16, ciphertext not yet hashed in Z17 to Z19 and Z25, associated
// data and then payloads in Z26 to Z29.
var (
	quadState   = zmm[0:4]
	quadSealed  = []reg.VecPhysical{reg.Z17, reg.Z18, reg.Z19, reg.Z25}
	quadAAD     = zmm[26:30]
	quadPayload = quadAAD
	quadTail    = []reg.OpmaskPhysical{reg.K3, reg.K4, reg.K5, reg.K6}
)

// quadSum is the hash of packet i of a quad.
func quadSum(i int) *sum {
	return &sum{lo: zmm[5+3*i], mi: zmm[6+3*i], hi: zmm[7+3*i], t: slices.Clone(zmm[20:25]), begun: true}
}

// quads processes the quads at the head of the group that are short enough.
// Sealing hashes a quad's ciphertext during the next one.
func (k kernel) quads() {
	XORL(member.As32(), member.As32())
	MOVQ(frame(frameEnd), reg.RAX)
	CMPQ(reg.RAX, Imm(8))
	JE(LabelRef("quadsDone"))
	CMPQ(frame(frameLongest), Imm(64))
	JA(LabelRef("quadsDone"))
	if !k.open {
		MOVQ(frame(frameSchedule), reg.RAX)
		for i := range quad {
			MOVQ(reg.RAX, frame(framePower+8*i)) // the first finds nothing to hash
		}
		XORL(pendingMember.As32(), pendingMember.As32())
	}
	Label("quad")
	k.quad()
	ADDQ(Imm(8*quad), member)
	CMPQ(member, frame(frameEnd))
	JGE(LabelRef("quadsEnd"))
	MOVQ(member, reg.RAX)
	SHRQ(Imm(2), reg.RAX)
	CMPQ(Mem{Base: reg.StackPointer, Index: reg.RAX, Scale: 1, Disp: frameLongest}, Imm(64))
	JBE(LabelRef("quad"))
	Label("quadsEnd")
	if !k.open {
		emitAll(k.quadHash(quadReversed))
	}
	Label("quadsDone")
}

// quad starts the cipher as soon as it can and does all else between its rounds.
func (k kernel) quad() {
	for i := range quad {
		k.quadStart(i)
	}
	var fill []step
	for i := range quad {
		fill = append(fill, k.quadDecode(i)...)
	}
	if !k.open {
		fill = append(append(fill, k.quadHash(quadReversed)...), func() { MOVQ(member, pendingMember) })
	}
	for i := range quad {
		fill = append(fill, k.quadAssociated(i)...)
	}
	if k.open {
		fill = append(fill, func() { MOVQ(member, pendingMember) })
		fill = append(fill, k.quadHash(k.quadReceived)...)
	}
	for r := 1; r < k.rounds; r++ {
		for i, x := range quadState {
			VBROADCASTI32X4(key(quadSchedule[i], r), roundKey2)
			VAESENC(roundKey2, x, x)
		}
		fill = spread(fill, k.rounds-r)
	}
	emitAll(fill)
	for i := range quad {
		k.quadLoad(i)
	}
	for i := range quad {
		k.quadFinish(i)
	}
}

// roundKey2 is the round key where hashing takes roundKey.
var roundKey2 = reg.Z4

// quadStart makes the counter blocks of packet i.
func (k kernel) quadStart(i int) {
	schedule := quadSchedule[i]
	MOVQ(entry(framePacket+8*i, 1, member), packet)
	MOVQ(entry(frameSchedule+8*i, 1, member), schedule)
	startBase(packet, schedule, quadState[i])
	VPXORQ(counterTable, quadState[i], quadState[i])
}

// quadDecode finds the parts of packet i and loads its associated data.
func (k kernel) quadDecode(i int) []step {
	schedule, n, powers := quadSchedule[i], reg.RSI, reg.RAX
	return []step{
		func() {
			MOVQ(entry(framePacket+8*i, 1, member), packet)
			k.payload(packet, schedule, reg.R14)
		},
		func() { MOVQ(src, frame(frameSrc+8*i)) },
		func() { MOVQ(dst, frame(frameDst+8*i)) },
		func() { MOVQ(reg.R14, n); k.reshape(packet, n) },
		func() { KMOVQ(tail, quadTail[i]) },
		func() { k.associated(packet, quadAAD[i]) },
		func() { addLengths(quadAAD[i]) },
		func() {
			shapePowers(schedule, powers)
			MOVQ(powers, frame(frameNext+8*i))
			SUBQ(frame(frameShapeAAD), powers)
			MOVQ(powers, frame(frameAAD+8*i))
		},
	}
}

// quadAssociated begins the hash of packet i with its associated data and lengths.
func (k kernel) quadAssociated(i int) []step {
	s, powers := quadSum(i), reg.RAX
	s.begun = false
	return append([]step{
		func() { MOVQ(frame(frameNext+8*i), powers) },
		func() { MOVQ(powers, frame(framePower+8*i)) },
	}, s.product(func(dst Op) { VMOVDQA64(quadAAD[i], dst) }, func(dst Op) {
		MOVQ(frame(frameAAD+8*i), powers)
		lengthsLast(powers, quadSchedule[i])(dst)
	})...)
}

// quadHash hashes a register of each packet and leaves the reduced hashes. The
// four are reduced in step, since each reduction is one long chain.
func (k kernel) quadHash(block func(i int) func(Op)) (steps []step) {
	var chains [quad][]step
	for i := range quad {
		s := quadSum(i)
		steps = append(steps, s.product(block(i), func(dst Op) {
			MOVQ(frame(framePower+8*i), reg.RAX)
			VMOVDQU64(at(reg.RAX, power(1)), dst)
		})...)
		s.t[0] = zmm[20+i]
		chains[i] = append(s.reduce(), func() { VMOVDQU64(s.hi, entry(frameHash+64*i, 8, pendingMember)) })
	}
	return append(steps, inStep(chains[:])...)
}

// inStep takes a step of each chain in turn. All are as long as the first.
func inStep(chains [][]step) (steps []step) {
	for n := range chains[0] {
		for _, chain := range chains {
			steps = append(steps, chain[n])
		}
	}
	return steps
}

func quadReversed(i int) func(Op) { return reversed(quadSealed[i]) }

// quadReceived loads the ciphertext of packet i.
func (k kernel) quadReceived(i int) func(Op) {
	return func(dst Op) {
		MOVQ(frame(frameSrc+8*i), src)
		VMOVDQU8_Z(at(src, 0), quadTail[i], dst)
		VPSHUFB(reverse, dst, dst)
	}
}

// quadLoad loads the payload of packet i. All four are loaded before any is
// written, since an incomplete quad has one packet twice.
func (k kernel) quadLoad(i int) {
	MOVQ(frame(frameSrc+8*i), src)
	VMOVDQU8_Z(at(src, 0), quadTail[i], quadPayload[i])
}

// quadFinish ends the cipher of packet i and writes what it made.
func (k kernel) quadFinish(i int) {
	x := quadState[i]
	MOVQ(frame(frameDst+8*i), dst)
	VBROADCASTI32X4(key(quadSchedule[i], k.rounds), roundKey2)
	VPXORQ(quadPayload[i], roundKey2, roundKey2)
	VAESENCLAST(roundKey2, x, x)
	if !k.open {
		VMOVDQU8_Z(x, quadTail[i], quadSealed[i])
		x = quadSealed[i]
	}
	VMOVDQU8(x, quadTail[i], at(dst, 0))
}
