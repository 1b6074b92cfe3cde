package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// longs processes a packet in whole chunks until at most one is left, and then the
// tail. The hash of chunks runs in four lanes, each in steps of H^4:
//
//	hash = (hash ^ chunk[0]) H^32 ^ chunk[1] H^28 ^ …
func (k kernel) longs() {
	Label("long")
	if !k.open {
		k.doubles()
	}
	LEAQ(at(length, -1-64*(k.mostAtOnce()-chunk)), reg.RAX)
	SHRQ(Imm(9), reg.RAX)
	MOVQ(reg.RAX, frame(frameChunks))
	if k.open {
		k.openChunks()
	} else {
		k.sealChunks()
	}
	findPowers()
	most := k.mostAtOnce()
	k.choose("tail", most-chunk+1, most)
	for n := most - chunk + 1; n <= most; n++ {
		Label(fmt.Sprintf("tail%d", n))
		switch {
		case k.open:
			k.openTail(n)
		case n == 1:
			k.sealLastRegister()
		default:
			k.sealTail(n)
		}
		next()
	}
}

// findPowers finds the powers of H for what is left of the payload.
func findPowers() {
	LEAQ(at(length, 15), reg.RCX)
	ANDQ(I32(-16), reg.RCX)
	MOVQ(schedule, powers)
	SUBQ(reg.RCX, powers)
}

// head begins the hash of a packet's first chunk with its associated data.
func (k kernel) head(s *sum) []step { return k.associatedBefore(s, 4*chunk) }

// associatedBefore hashes associated data that so many blocks follow before a
// reduction.
func (k kernel) associatedBefore(s *sum, blocks int) []step {
	s.begun = false
	return append([]step{
		func() { MOVQ(schedule, reg.RAX) },
		func() { SUBQ(frame(frameShapeAAD), reg.RAX) },
	}, s.product(
		func(dst Op) { k.associated(packet, dst) },
		broadcast(at(reg.RAX, power(blocks))))...)
}

// sealChunks encrypts the first chunk while it hashes what is pending, and each
// other while it hashes the one before. The last is not yet hashed afterwards.
func (k kernel) sealChunks() {
	k.pendingTails()
	for n := range chunk + 1 {
		Label(fmt.Sprintf("after%d", n))
		var fill []step
		if n > 0 {
			fill = k.tailHash(n)
		}
		fill = append(fill, k.head(newSum())...)
		k.sealChunk(withTag(chunk), append(fill, func() { clearRegister(carry) }))
		if n < chunk {
			JMP(LabelRef("sealedFirst"))
		}
	}
	Label("sealedFirst")
	DECQ(frame(frameChunks))
	JZ(LabelRef("lastChunk"))
	Label("chunk")
	s := begunSum()
	k.sealChunk(states[:chunk], append(hashChunk(s, sealedChunk, true), s.clear()...))
	DECQ(frame(frameChunks))
	JNZ(LabelRef("chunk"))
	Label("lastChunk")
}

// sealChunk encrypts a chunk; x are its states and perhaps the tag mask's.
func (k kernel) sealChunk(x []reg.VecPhysical, hash []step) {
	k.startChunk(x)
	k.middle(x, hash)
	if len(x) > chunk {
		k.endTag()
		startLater()
	}
	k.whole(chunk)
	advance(chunk)
}

// whole ends the cipher of n whole registers and writes them.
func (k kernel) whole(n int) {
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for i, x := range states[:n] {
		VPXORQ(at(src, 64*i), roundKey, reg.Z20)
		VAESENCLAST(reg.Z20, x, sealed[i])
		VMOVDQU64(sealed[i], at(dst, 64*i))
	}
}

// openChunks decrypts each chunk while it hashes it.
func (k kernel) openChunks() {
	s := newSum()
	k.openChunk(withTag(chunk), k.openHash(s, k.head(s), false))
	DECQ(frame(frameChunks))
	JZ(LabelRef("lastChunk"))
	Label("chunk")
	k.openChunk(states[:chunk], k.openHash(s, nil, true))
	DECQ(frame(frameChunks))
	JNZ(LabelRef("chunk"))
	Label("lastChunk")
}

// openHash hashes a chunk that openChunk has loaded.
func (k kernel) openHash(s *sum, before []step, carried bool) []step {
	return append(before, hashChunk(s, sealedChunk, carried)...)
}

func (k kernel) openChunk(x []reg.VecPhysical, hash []step) {
	k.startChunk(x)
	received := sealed
	for i, r := range received {
		VMOVDQU64(at(src, 64*i), r)
	}
	k.middle(x, hash)
	if len(x) > chunk {
		k.endTag()
		startLater()
	}
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for i, x := range states[:chunk] {
		VPXORQ(received[i], roundKey, received[i])
		VAESENCLAST(received[i], x, x)
		VMOVDQU64(x, at(dst, 64*i))
	}
	advance(chunk)
}

// startChunk makes a chunk's counter blocks, and those of the tag mask in the first
// step of a packet.
func (k kernel) startChunk(x []reg.VecPhysical) {
	next := reg.Z20
	if len(x) > chunk {
		counters(states[:chunk], base, next, first)
	} else {
		counters(states[:chunk], now, next, later)
	}
	VMOVDQA64(next, now)
}

func advance(registers int) {
	ADDQ(U32(64*registers), src)
	ADDQ(U32(64*registers), dst)
	SUBQ(U32(64*registers), length)
}

// hashChunk makes the hash of a chunk the carry. If there is a carry before, the block
// that takes it in comes last, when the chunk before is sure to be reduced.
func hashChunk(s *sum, block func(i int) Op, carried bool) (steps []step) {
	for n := range chunk {
		i := (n + 1) % chunk
		data := reversed(block(i))
		if i == 0 && carried {
			data = plus(data, carry)
		}
		steps = append(steps, s.product(data, broadcast(at(schedule, power(4*(chunk-i)))))...)
	}
	return append(append(steps, s.reduce()...), keep(s))
}

// hashBlocks adds registers to a sum and makes it the carry.
func hashBlocks(s *sum, blocks []func(Op)) (steps []step) {
	for i, block := range blocks {
		steps = append(steps, s.product(block, broadcast(at(schedule, power(4*(len(blocks)-i)))))...)
	}
	return append(append(steps, s.reduce()...), keep(s))
}

func keep(s *sum) step { return func() { VMOVDQA64(s.hi, carry) } }
