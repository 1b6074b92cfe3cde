package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// key is where a schedule keeps a round key.
func key(schedule reg.Register, round int) Mem { return at(schedule, scheduleRounds+16*round) }

// middle emits the rounds between the first and the last on all of x, with the
// steps of fill spread evenly between them.
func (k kernel) middle(x []reg.VecPhysical, fill []step) {
	for r := 1; r < k.rounds; r++ {
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
	VMOVDQU64(m[0], dst.AsX())
	for lane := 1; lane < 4; lane++ {
		VINSERTI32X4(U8(lane), m[lane], dst, dst)
	}
}

// gatherKey loads a round key of each of four schedules.
func gatherKey(round int, dst reg.VecPhysical) {
	var m [4]Mem
	for lane, s := range quadSchedule {
		m[lane] = key(s, round)
	}
	gather(m, dst)
}

// startBase sets base to nonce and counter 0 of a packet, less the first round key.
func startBase(packet, schedule reg.Register, dst reg.VecPhysical) {
	VBROADCASTI32X4(key(schedule, 0), roundKey)
	VBROADCASTI32X4(at(packet, packetNonce), dst)
	VPTERNLOGQ(U8(0x6c), nonceTable, roundKey, dst) // (nonce AND 12 bytes) XOR key
}

// counters sets x to the next len(x) registers of counter blocks, of which the
// first chunk take from and what is beyond them the next chunk's base, left in
// next.
func counters(x []reg.VecPhysical, from, next reg.VecPhysical) {
	for i := 0; i < min(len(x), chunk-1); i++ {
		VPXORQ(counterTable.Offset(64*i), from, x[i])
	}
	if len(x) < chunk {
		return
	}
	VMOVDQU64(frame(frameCounter), next)
	VPADDD(strideTable, next, next)
	VMOVDQU64(next, frame(frameCounter))
	VPSHUFB(reverse, next, next)
	VPXORQ(base, next, next)
	VSHUFI64X2(U8(0xe4), next, from, x[chunk-1]) // its upper lanes are counters 32 and 33
	VPXORQ(counterTable.Offset(64*(chunk-1)), x[chunk-1], x[chunk-1])
	if len(x) > chunk {
		VPXORQ(counterTable, next, x[chunk])
	}
}
