package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// one is a kernel for packets of more than chunk registers that all have one key. What
// they share is made once a call: the first round of AES of every counter, see
// onekeytable.go, and what the lengths add to tags. First rounds and tag masks are made
// for a group of packets at a time, see onekeygroup.go.
//
// A packet is a head of 1 to chunk registers and then whole chunks, of which the last
// may end anywhere in its last register. Each step hashes as many registers as it
// encrypts; see onekeyseal.go and onekeyopen.go.
type one struct{ kernel }

// The frame of such a kernel, of which a part is aligned to cache lines.
const (
	oneAligned   = frameSize       // where that part starts
	oneMade      = oneAligned + 8  // payload that the table of counters suffices for
	oneKey       = oneMade + 8     // of all packets
	oneSlot      = oneKey + 8      // where the group has what it made for the packet
	oneSlotEnd   = oneSlot + 8     // and where it has no more
	oneLengths   = oneSlotEnd + 8  // what the lengths add to a tag
	oneMaskRow   = oneLengths + 16 // where masks go, or 0
	oneFrom      = oneMaskRow + 8  // the aligned part starts within 64 bytes of this
	oneFrameSize = oneFrom + 64 + oneAlignedSize
)

// The aligned part.
const (
	oneBases       = 0                        // base of each packet of a group
	oneMasks       = oneBases + 16*oneInGroup // their tag masks
	oneShared      = oneMasks + 16*oneInGroup // what the first round of all counters has in common
	oneCounter     = oneShared + 64           // the counters with which the table goes on
	oneFirst       = oneCounter + 64          // the first round of counter 1
	oneTable       = oneFirst + 64            // that of counters 2, 3, 4 …
	oneAlignedSize = oneTable + 64*oneCounters
)

const (
	oneInGroup  = 2 * quad
	oneCounters = 64                     // registers, made four at a time
	oneMost     = 64 * (oneCounters - 1) // bytes of payload: the last byte of its counters does not wrap
)

// counterAt, in place of pending, is where the aligned part would start if the table's
// entries for the step in work were its first. base is the first round of AES of the nonce
// with counter 0.
var counterAt = reg.RBX

// emitOneKey writes such a function.
func (k kernel) emitOneKey(name string) {
	k.labels, k.oneKey = new(int), true
	o := one{k}
	masks := ", masks *byte"
	if k.open {
		masks = ""
	}
	TEXT(name, 0, "func(packets, order *byte, count, slot int, folded *byte, oneShape int"+masks+") (taken, ok int)")
	Pragma("noescape")
	AllocLocal(oneFrameSize)
	o.start()
	Label("packet")
	o.find()
	o.packet()
	Label("last")
	o.end()
	k.stop()
	o.group()
	o.extend()
}

// start makes what depends on the key alone.
func (o one) start() {
	o.kernel.start()
	aligned, first := counterAt, reg.RAX
	LEAQ(frame(oneFrom+63), aligned)
	ANDQ(I32(-64), aligned)
	MOVQ(aligned, frame(oneAligned))
	MOVQ(I32(0), frame(oneMade))
	MOVQ(I32(0), frame(oneSlot))
	MOVQ(I32(0), frame(oneSlotEnd))
	o.address(first, at(order, 0))
	MOVQ(at(first, packetKey), first)
	MOVQ(first, frame(oneKey))
	MOVBLZX(at(first, keyTag), reg.ECX)
	MOVQ(reg.RCX, frame(frameTagSize))
	ADDQ(NewParamAddr("slot", 24), first)
	MOVQ(at(first, 0), schedule)
	o.startTable(aligned)
	if !o.open {
		Load(Param("masks"), reg.RAX)
		MOVQ(reg.RAX, frame(oneMaskRow))
		LEAQ(frame(frameTagMask), tagPlace) // of no packet
		LEAQ(at(schedule, -64*chunk), pendingPowers)
	}
}

// find finds the parts of the packet whose turn it is.
func (o one) find() {
	slot := reg.RAX
	MOVQ(frame(oneSlot), slot)
	CMPQ(slot, frame(oneSlotEnd))
	JEQ(LabelRef("group"))
	Label("grouped")
	ADDQ(Imm(16), frame(oneSlot))
	VBROADCASTI32X4(at(slot, oneBases), base)
	o.address(packet, at(order, 0))
	o.payload(packet, length)
	CMPQ(length, U32(64*chunk))
	JBE(LabelRef("stop"))
	o.reshape(packet, length)
	CMPQ(length, frame(oneMade))
	JA(LabelRef("extend"))
	Label("extended")
	MOVQ(frame(oneAligned), counterAt)
	if o.open {
		LEAQ(Mem{Base: src, Index: length, Scale: 1}, tagPlace)
		o.keepTagMask()
		return
	}
	MOVB(U8(statusOK), at(packet, packetStatus))
}

// keepTagMask keeps what the packet's hash has yet to be added to.
func (o one) keepTagMask() {
	MOVQ(frame(oneSlot), reg.RAX)
	VMOVDQU64(at(reg.RAX, oneMasks-16), reg.X20)
	VPXORQ(frame(oneLengths), reg.X20, reg.X20)
	VMOVDQU64(reg.X20, frame(frameTagMask))
}

// hashLengths finds what the length block, which is in the first of t, adds to tags.
func (o one) hashLengths() {
	s := newSum()
	emitAll(s.product(func(Op) {}, broadcast(at(schedule, power(1)))))
	emitAll(append(s.reduce(), s.fold()...))
	VMOVDQU64(s.t[0].AsX(), frame(oneLengths))
}

// packet processes a packet, by the number of registers in its head.
func (o one) packet() {
	head := reg.RAX
	LEAQ(at(length, -1), head)
	SHRQ(Imm(6), head)
	ANDL(Imm(chunk-1), head.As32())
	o.chooseHead(head, 1, chunk)
	for n := 1; n <= chunk; n++ {
		Label(fmt.Sprintf("head%d", n))
		if o.open {
			o.openHead(n)
		} else {
			o.sealHead(n)
		}
		if n < chunk {
			JMP(LabelRef("chunks"))
		}
	}
	Label("chunks")
	if o.open {
		o.openChunks()
	} else {
		o.sealChunks()
	}
	next()
}

// chooseHead jumps by a head of from to to registers, of which head is one less.
func (o one) chooseHead(head reg.GPPhysical, from, to int) {
	if from == to {
		JMP(LabelRef(fmt.Sprintf("head%d", from)))
		return
	}
	mid, upper := (from+to)/2, o.label("headAbove")
	CMPL(head.As32(), U32(mid-1))
	JA(LabelRef(upper))
	o.chooseHead(head, from, mid)
	Label(upper)
	o.chooseHead(head, mid+1, to)
}

// states sets n states to the first round of the counters from entry from of those at
// counterAt on.
func (o one) states(n, from int) {
	for i, x := range states[:n] {
		VPXORQ(at(counterAt, oneTable+64*(from+i)), base, x)
	}
}

// middle emits the rounds between the first and the last.
func (o one) middle(n int, fill []step) { o.roundsFrom(2, states[:n], fill) }

// end writes the last tag, clears what tells of the key, and returns.
func (o one) end() {
	if !o.open {
		o.drain()
		o.endMasks()
	}
	o.wipe()
	o.done()
}
