package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// direct processes a packet of n registers, too long to wait for the next and
// too short for whole chunks.
func (k kernel) direct(n int) {
	s := newSum(now)
	counters(states[:n], now, reg.Z20)
	if k.open {
		fill := append(k.beginning(s), hashes(s, receivedAll(n), 0, powers)...)
		k.middle(states[:n], append(append(fill, s.reduce()...), store(s, member)))
		k.finish(states[:n], states[:n], 0, n)
	} else {
		k.sealHalves(s, n, k.beginning(s), nil)
	}
	next()
}

// sealHalves encrypts the last n registers in two steps, the second while it
// hashes the first, so that little is left to hash when AES has nothing to do.
// Fill goes between the rounds of the first step.
func (k kernel) sealHalves(s *sum, n int, fill []step, before Op) {
	half, x := n/2, states[:n]
	k.middle(x[:half], fill)
	k.finish(x[:half], x[:half], 0, n)
	blocks := reversedAll(x)
	if before != nil {
		blocks[0] = plus(blocks[0], before)
	}
	k.middle(x[half:], hashes(s, blocks[:half], 0, powers))
	k.finish(x[half:], x[half:], half, n)
	emitAll(hashes(s, blocks[half:], half, powers))
	emitAll(append(s.reduce(), store(s, member)))
}

// long takes whole chunks until at most maxDirect registers are left. Their hash
// runs in four lanes, each in steps of H^4:
//
//	hash = (hash ^ chunk[0]) H^32 ^ chunk[1] H^28 ^ …
func (k kernel) long() {
	s := newSum(reg.Z8)
	LEAQ(at(length, -65), chunks) // registers less 2, by 8
	SHRQ(Imm(9), chunks)
	MOVQ(schedule, reg.RAX)
	SUBQ(frame(frameShapeAAD), reg.RAX)
	head := s.product(func(dst Op) { VMOVDQA64(aad, dst) }, broadcast(at(reg.RAX, power(0)))) // H^blocks
	head = append(append(head, s.reduce()...), keep(s))
	if k.open {
		emitAll(head)
		k.openChunks(s)
	} else {
		k.sealChunks(s, head)
	}
	LEAQ(at(length, 15), reg.RCX)
	ANDQ(I32(-16), reg.RCX)
	MOVQ(schedule, powers)
	SUBQ(reg.RCX, powers)
}

// sealChunks encrypts each chunk while it hashes the one before. The last is
// not yet hashed afterwards.
func (k kernel) sealChunks(s *sum, head []step) {
	k.sealChunk(head)
	DECQ(chunks)
	JZ(LabelRef("lastChunk"))
	Label("chunk")
	k.sealChunk(hashChunk(s, func(i int) Op { return sealed[i] }))
	DECQ(chunks)
	JNZ(LabelRef("chunk"))
	Label("lastChunk")
}

func (k kernel) sealChunk(hash []step) {
	k.startChunk()
	k.middle(states[:chunk], hash)
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for i, x := range states[:chunk] {
		VPXORQ(at(src, 64*i), roundKey, reg.Z20)
		VAESENCLAST(reg.Z20, x, sealed[i])
		VMOVDQU64(sealed[i], at(dst, 64*i))
	}
	advance()
}

// openChunks decrypts each chunk while it hashes it.
func (k kernel) openChunks(s *sum) {
	Label("chunk")
	k.startChunk()
	received := sealed
	for i, r := range received {
		VMOVDQU64(at(src, 64*i), r)
	}
	k.middle(states[:chunk], hashChunk(s, func(i int) Op { return received[i] }))
	VBROADCASTI32X4(key(schedule, k.rounds), roundKey)
	for i, x := range states[:chunk] {
		VPXORQ(received[i], roundKey, received[i])
		VAESENCLAST(received[i], x, x)
		VMOVDQU64(x, at(dst, 64*i))
	}
	advance()
	DECQ(chunks)
	JNZ(LabelRef("chunk"))
}

func (k kernel) startChunk() {
	next := reg.Z20
	counters(states[:chunk], now, next)
	VMOVDQA64(next, now)
}

func advance() {
	ADDQ(U32(64*chunk), src)
	ADDQ(U32(64*chunk), dst)
	SUBQ(U32(64*chunk), length)
}

// hashChunk replaces the carry by the hash of a chunk. The block that takes the
// carry in comes last, when the chunk before is sure to be reduced.
func hashChunk(s *sum, block func(i int) Op) (steps []step) {
	for n := range chunk {
		i := (n + 1) % chunk
		data := reversed(block(i))
		if i == 0 {
			data = plus(data, carry)
		}
		steps = append(steps, s.product(data, broadcast(at(schedule, power(4*(chunk-i)))))...)
	}
	return append(append(steps, s.reduce()...), keep(s))
}

func keep(s *sum) step { return func() { VMOVDQA64(s.hi, carry) } }

// tail processes the last n registers of a packet that had whole chunks.
func (k kernel) tail(n int) {
	s := newSum(now)
	counters(states[:n], now, reg.Z20)
	if k.open {
		fill := k.lengths(s)
		blocks := receivedAll(n)
		blocks[0] = plus(blocks[0], carry)
		fill = append(fill, hashes(s, blocks, 0, powers)...)
		k.middle(states[:n], append(append(fill, s.reduce()...), store(s, member)))
		k.finish(states[:n], states[:n], 0, n)
	} else {
		k.sealTail(s, n)
	}
	next()
}

// sealTail hashes the last chunk while it encrypts the tail.
func (k kernel) sealTail(s *sum, n int) {
	fill := append(hashChunk(s, func(i int) Op { return sealed[i] }), k.lengths(s)...)
	if n > maxShort {
		k.sealHalves(s, n, fill, carry)
		return
	}
	x := states[:n]
	k.middle(x, fill)
	k.finish(x, x, 0, n)
	blocks := reversedAll(x)
	blocks[0] = plus(blocks[0], carry)
	emitAll(hashes(s, blocks, 0, powers))
	emitAll(append(s.reduce(), store(s, member)))
}

// lengths begins the hash of a tail with the length block.
func (k kernel) lengths(s *sum) []step {
	return append([]step{func() { VMOVDQU64(frame(frameLengths), s.t[0].AsX()) }},
		s.product(func(Op) {}, broadcast(at(schedule, power(1))))...)
}
