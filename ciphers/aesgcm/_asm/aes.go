package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// key is where a schedule keeps a round key.
func key(schedule reg.Register, round int) Mem { return at(schedule, scheduleRounds+16*round) }

// middle emits the rounds between the first and the last on all of x, with the
// steps of fill spread evenly between them. The state of the tag mask may be one
// of x.
func (k kernel) middle(x []reg.VecPhysical, fill []step) { k.roundsFrom(1, x, fill) }

// roundsFrom emits them from round first on.
func (k kernel) roundsFrom(first int, x []reg.VecPhysical, fill []step) {
	for r := first; r < k.rounds; r++ {
		VBROADCASTI32X4(key(schedule, r), roundKey)
		for _, state := range x {
			VAESENC(roundKey, state, state)
		}
		fill = spread(fill, k.rounds-r)
	}
	emitAll(fill)
}

// spread emits the share of steps that falls on one of slots places.
func spread(fill []step, slots int) []step {
	n := (len(fill) + slots - 1) / slots
	if slots > 1 {
		n = len(fill) / slots
	}
	emitAll(fill[:n])
	return fill[n:]
}

// gather loads one block of each of four places into the lanes of dst.
func gather(m [4]Mem, dst reg.VecPhysical) {
	for lane, from := range m {
		insert(lane, from, dst)
	}
}

// insert loads a lane of a register, the first lane first.
func insert(lane int, from Mem, dst reg.VecPhysical) {
	if lane == 0 {
		VMOVDQU64(from, dst.AsX())
		return
	}
	VINSERTI32X4(U8(lane), from, dst, dst)
}

// singleRound does round r of an AES whose schedule is at keys, by way of the register
// roundKey.
func (k kernel) singleRound(r int, keys reg.Register, roundKey reg.VecPhysical, x ...reg.VecPhysical) {
	VBROADCASTI32X4(at(keys, 16*r), roundKey)
	for _, x := range x {
		switch r {
		case 0:
			VPXORQ(roundKey, x, x)
		case k.rounds:
			VAESENCLAST(roundKey, x, x)
		default:
			VAESENC(roundKey, x, x)
		}
	}
}

// setNonceWords makes the mask of the words that a nonce has in each lane.
func setNonceWords() {
	MOVL(U32(0x7777), reg.EAX)
	KMOVW(reg.EAX, nonceWords)
}

// startBase sets base to nonce and counter 0 of a packet, less the first round key.
func startBase(packet, schedule reg.Register, dst reg.VecPhysical) {
	VBROADCASTI32X4(key(schedule, 0), roundKey)
	VBROADCASTI32X4_Z(at(packet, packetNonce), nonceWords, dst)
	VPXORQ(roundKey, dst, dst)
}

// counters sets x to the next len(x) registers of counter blocks, of which the
// first chunk take from and what is beyond them the next chunk's base, which first
// or later leaves in next.
func counters(x []reg.VecPhysical, from, next reg.VecPhysical, advance func(next reg.VecPhysical)) {
	for i := 0; i < min(len(x), chunk-1); i++ {
		VPXORQ(counterTable.Offset(64*i), from, x[i])
	}
	if len(x) < chunk {
		return
	}
	advance(next)
	VSHUFI64X2(U8(0xe4), next, from, x[chunk-1]) // its upper lanes are counters 32 and 33
	VPXORQ(counterTable.Offset(64*(chunk-1)), x[chunk-1], x[chunk-1])
	if len(x) > chunk {
		VPXORQ(counterTable, next, x[chunk])
	}
}

// first makes the base of a packet's second chunk, later that of the chunk after the
// one in work.
func first(next reg.VecPhysical) {
	VBROADCASTI32X4(chunkTable.Offset(16), next)
	VPXORQ(base, next, next)
}

func later(next reg.VecPhysical) {
	MOVQ(frame(frameCounter), reg.RAX)
	ADDQ(Imm(16), frame(frameCounter))
	VBROADCASTI32X4(at(reg.RAX, 0), next)
	VPXORQ(base, next, next)
}

// startLater has later begin with the third chunk.
func startLater() {
	LEAQ(chunkTable.Offset(32), reg.RAX)
	MOVQ(reg.RAX, frame(frameCounter))
}
