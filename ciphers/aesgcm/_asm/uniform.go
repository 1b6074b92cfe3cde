package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// uniform is the part of a kernel for quads of packets that are alike: one key,
// one length of up to maxUniform registers, one shape of associated data of up
// to 32 bytes, whole tags. What follows from key and shape is made once a call
// and stays in registers or in the frame, so that a packet is little more than its
// AES, its hash and the finding of its parts.
//
// A quad goes through AES in waves, the tag masks of all four with the first one.
// Hashing goes on between the rounds: of the same wave when opening, of the wave
// before when sealing. Short packets are hashed across, see uniformcross.go.
type uniform struct {
	quads
	uniformRegisters
	n      int // registers of payload
	inStep int // packets of a wave
}

// quads is a kind of such kernels.
type quads struct {
	kernel
	row   bool // packets lie one behind the other, and are known to be alike
	masks bool // of header protection are made as well, in a row
	reach bool // their samples reach into the tags of packets of one register
}

const (
	maxUniform = 5
	maxCrossed = 2 // registers of payload up to which packets are hashed across
)

func (q quads) uniform(n int) *uniform {
	u := &uniform{quads: q, n: n, inStep: 1}
	if u.crossed() {
		u.inStep = quad
	}
	u.assign()
	return u
}

func (u *uniform) crossed() bool { return u.n <= maxCrossed }

// What general registers and opmasks hold.
var (
	uniformPacket = [quad]reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}
	uniformWire   = [quad]reg.GPPhysical{reg.RSI, reg.RDI, reg.R12, reg.R13} // ciphertext
	uniformKeys   = reg.RBX                                                  // the schedule
	uniformOrder  = reg.RDX
	uniformFrom   = reg.R14 // where a packet keeps the base of its associated data
	uniformBytes  = reg.R15 // of payload

	tailReversed = reg.K3 // tail in the byte order of GHASH
	aadMore      = reg.K6 // in a row: two blocks of associated data of two packets, aadBytes one of four
)

// The frame of a uniform kernel.
const (
	uniformLeft   = 0                 // quads
	uniformRange  = uniformLeft + 8   // ones if associated data have an offset
	uniformPower  = uniformRange + 8  // address of the powers for the payload
	uniformBefore = uniformPower + 8  // address of those for associated data
	uniformMore   = uniformBefore + 8 // not 0 if those are more than one block
	uniformWhole  = uniformMore + 8   // not 0 if payloads end with a whole register
	uniformLines  = uniformWhole + 8  // address of what lies in whole cache lines
	uniformFirst  = uniformLines + 8  // address of the first packet of a row
	uniformFailed = uniformFirst + 8  // a byte for each lane
	uniformNone   = uniformFailed + 8 // what the first quad takes for tags of the quad before
	uniformSame   = uniformNone + 16  // the fields that packets have in common, 8 bytes each
	uniformRoom   = uniformSame + 32  // for those cache lines
	uniformFrame  = uniformRoom + 64*(numLines+1)
)

// emitUniform writes the function that takes quads in any order and finds out how far
// packets are alike, emitRow that for a row.
func (k kernel) emitUniform(name string) {
	signature := "func(packets, order *byte, quads, slot int) (taken int)"
	if k.open {
		signature = "func(packets, order *byte, quads, slot int) (taken, ok int)"
	}
	quads{kernel: k}.emit(name, signature, uniformFrame)
}

func (k kernel) emitRow(name string) {
	signature := "func(packets *byte, quads, slot int)"
	if k.open {
		signature += " (ok int)"
	}
	quads{kernel: k, row: true}.emit(name, signature, uniformFrame)
}

// emit writes such a function with so much of a frame.
func (q quads) emit(name, signature string, size int) {
	q.labels = new(int)
	TEXT(name, 0, signature)
	Pragma("noescape")
	AllocLocal(size)
	q.start()
	if q.masks {
		q.findSample("uniformReached")
	}
	for n := 1; n < maxUniform; n++ {
		CMPQ(uniformBytes, U32(64*n))
		JBE(LabelRef(fmt.Sprintf("uniform%d", n)))
	}
	for n := maxUniform; n > 0; n-- {
		Label(fmt.Sprintf("uniform%d", n))
		q.uniform(n).loop()
	}
	if q.masks {
		Label("uniformReached")
		q.reach = true
		q.uniform(1).loop()
	}
}

// loop takes quads until none is left, and returns.
func (u *uniform) loop() {
	u.begin()
	again, over := u.label("uniformQuad"), u.label("uniformOver")
	if u.masks && u.crossed() {
		u.lead(over)
	}
	Label(again)
	if !u.row {
		u.find(over)
	}
	u.quad()
	u.advance()
	JNZ(LabelRef(again))
	Label(over)
	if !u.open {
		emitAll(u.drain())
	}
	u.end()
}

// advance goes on to the next quad, and sets the zero flag behind the last.
func (u *uniform) advance() {
	if u.row {
		ADDQ(I32(quad<<packetShift), uniformPacket[0])
	} else {
		ADDQ(Imm(quad), uniformOrder)
	}
	DECQ(frame(uniformLeft))
}

// find finds the packets of a quad, and goes on to label if one is not like the first.
func (u *uniform) find(label string) {
	for i, packet := range uniformPacket {
		u.uniformAddress(i)
		u.same(packet, label)
	}
}

func (u *uniform) begin() {
	u.startDeltas()
	if u.row {
		u.startRow()
		emitAll(u.nonces())
	}
	MOVQ(frame(uniformPower), reg.RAX)
	for i, r := range u.powers {
		VMOVDQU64(at(reg.RAX, 64*i), r)
	}
	if u.paired != nil {
		MOVQ(frame(uniformBefore), reg.RAX)
		VBROADCASTI64X4(at(reg.RAX, 0), u.paired)
	}
	for round, r := range u.keys {
		if r != nil {
			VBROADCASTI32X4(key(uniformKeys, round), r)
		}
	}
	if u.masks {
		u.startMasks()
	}
	if u.open || u.row && !u.crossed() {
		return
	}
	for _, wire := range uniformWire {
		LEAQ(frame(uniformNone), wire)
		SUBQ(uniformBytes, wire)
	}
}

// end returns how many packets were taken, and how many are StatusOK.
func (u *uniform) end() {
	u.wipeLines()
	switch {
	case !u.row:
		u.taken()
	case u.open:
		Load(Param("quads"), reg.RCX)
		SHLQ(Imm(2), reg.RCX)
		u.authentic(reg.RCX)
	}
	VZEROUPPER()
	RET()
}

func (u *uniform) taken() {
	n := reg.RCX
	Load(Param("quads"), n)
	SUBQ(frame(uniformLeft), n)
	SHLQ(Imm(2), n)
	Store(n, Return("taken"))
	if u.open {
		u.authentic(n)
	}
}

// authentic returns how many of n packets are.
func (u *uniform) authentic(n reg.GPPhysical) {
	MOVL(frame(uniformFailed), reg.EAX)
	IMUL3L(U32(0x01010101), reg.EAX, reg.EAX)
	SHRL(Imm(24), reg.EAX)
	SUBQ(reg.RAX, n)
	Store(n, Return("ok"))
}
