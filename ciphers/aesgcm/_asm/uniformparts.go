package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// field is where packet i of the quad has a field.
func (u *uniform) field(i, offset int) Mem {
	if u.row {
		return at(uniformPacket[0], i<<packetShift+offset)
	}
	return at(uniformPacket[i], offset)
}

// What packets in a row have in common besides.
var (
	rowOff = reg.R9  // where payloads start in Buf
	rowAAD = reg.R10 // where associated data start, from there
	rowTag = reg.R11 // where tags start in Buf
)

// startRow finds that, and has opmasks of associated data for several packets, in the
// byte order of GHASH.
func (u *uniform) startRow() {
	packet := uniformPacket[0]
	MOVWLZX(at(packet, packetOff), rowOff.As32())
	MOVWLZX(at(packet, packetAADOff), rowAAD.As32())
	SUBQ(rowOff, rowAAD)
	LEAQ(Mem{Base: rowOff, Index: uniformBytes, Scale: 1}, rowTag)
	MOVQ(packet, frame(uniformFirst))
	x, t := u.t[0], u.t[1]
	VPMOVM2B(aadBytes, x)
	VPSHUFB(reverse, x, x)
	VSHUFI64X2(U8(0x44), x, x, t) // two blocks of each of two packets
	if !u.crossed() {
		VPMOVB2M(t, aadBytes)
		return
	}
	VPMOVB2M(t, aadMore)
	VSHUFI64X2(U8(0x00), x, x, x) // one of each of four
	VPMOVB2M(x, aadBytes)
}

// decode finds the ciphertexts of the quad.
func (u *uniform) decode() (steps []step) {
	for i := range quad {
		steps = append(steps, u.findWire(i)...)
		if !u.open {
			steps = append(steps, func() { MOVB(U8(statusOK), u.field(i, packetStatus)) })
		}
	}
	return steps
}

func (u *uniform) findWire(i int) []step {
	wire := uniformWire[i]
	if u.row {
		return []step{
			func() { MOVQ(u.field(i, packetBuf), wire) },
			func() { ADDQ(rowOff, wire) },
		}
	}
	return []step{
		func() { MOVWLZX(u.field(i, packetOff), wire.As32()) },
		func() { ADDQ(u.field(i, packetBuf), wire) },
	}
}

// associated finds the associated data of packet i.
func (u *uniform) associated(i int) Mem {
	if u.row {
		return Mem{Base: uniformWire[i], Index: rowAAD, Scale: 1}
	}
	MOVWLZX(u.field(i, packetAADOff), reg.ECX)
	ANDQ(frame(uniformRange), reg.RCX)
	ADDQ(Mem{Base: uniformPacket[i], Index: uniformFrom, Scale: 1}, reg.RCX)
	return at(reg.RCX, 0)
}

// pairAssociated loads the associated data of two packets.
func (u *uniform) pairAssociated(n int) []step { return u.loadPair(n, u.aad[n], u.t[0], aadBytes) }

// loadPair does so. In a row they lie before the payload, so that what follows them may
// be read, too; mask has what stays.
func (u *uniform) loadPair(n int, pair, odd reg.VecPhysical, mask reg.Register) []step {
	if u.row {
		return []step{
			func() { VMOVDQU64(u.associated(2*n), pair.AsY()) },
			func() { VINSERTI64X4(U8(1), u.associated(2*n+1), pair, pair) },
			func() { VPSHUFB_Z(reverse, pair, mask, pair) },
		}
	}
	return []step{
		func() { VMOVDQU8_Z(u.associated(2*n), aadBytes, pair.AsY()) },
		func() { VMOVDQU8_Z(u.associated(2*n+1), aadBytes, odd.AsY()) },
		func() { VINSERTI64X4(U8(1), odd.AsY(), pair, pair) },
		func() { VPSHUFB(reverse, pair, pair) },
	}
}

// before finds the first packet of the quad before the one in work. Before the first there
// is none: it stands for that.
func before(packet reg.Register) {
	LEAQ(at(uniformPacket[0], -quad<<packetShift), packet)
	CMPQ(packet, frame(uniformFirst))
	CMOVQCS(frame(uniformFirst), packet)
}
