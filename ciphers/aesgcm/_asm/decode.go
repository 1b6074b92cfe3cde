package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// payload sets src, dst and n to where the packet's payload is read, where it
// is written, and how many bytes it has.
func (k kernel) payload(packet, n reg.GPPhysical) {
	wire, plain := dst, src
	if k.open {
		wire, plain = src, dst
	}
	MOVWLZX(at(packet, packetOff), wire.As32())
	ADDQ(at(packet, packetBuf), wire)
	MOVQ(at(packet, packetPlain), plain)
	outOfPlace := k.label("outOfPlace")
	TESTQ(plain, plain)
	JNZ(LabelRef(outOfPlace))
	MOVQ(wire, plain)
	Label(outOfPlace)
	MOVL(at(packet, packetLen), n.As32())
	if k.open {
		tagSize(packet, reg.RAX)
		SUBQ(reg.RAX, n)
	}
}

// tagSize reads the length of tags from the packet's key, whose first cache line the
// border has read before.
func tagSize(packet reg.Register, n reg.GPPhysical) {
	MOVQ(at(packet, packetKey), n)
	MOVBLZX(at(n, keyTag), n.As32())
}
