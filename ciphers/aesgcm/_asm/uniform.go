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
// and stays in registers, so that a packet is little more than its AES, its hash
// and the finding of its parts.
//
// A quad goes through AES in waves of one, two or four packets, and the tag
// masks of all four with the first wave. Hashing goes on between the rounds: of
// the same wave when opening, of the wave before when sealing.
type uniform struct {
	kernel
	n      int // registers of payload
	inStep int // packets of a wave
	keys   []reg.VecPhysical
	powers []reg.VecPhysical // of H, for a register of payload each
	power  reg.VecPhysical   // the powers that are not kept
	masks  bool              // are made as well
	mask   reg.VecPhysical   // their state
}

const (
	maxUniform  = 5
	maxInFlight = 5 // registers of a wave
)

func (k kernel) uniform(n int, masks bool) *uniform {
	u := &uniform{kernel: k, n: n, inStep: max(1, quad/n), keys: make([]reg.VecPhysical, k.rounds+1), masks: masks}
	if n == 3 {
		u.inStep = 1
	}
	u.spare()
	return u
}

// spare gives registers that a wave leaves over to the last round key, the
// powers of H, which would straddle cache lines, and as many round keys as fit.
func (u *uniform) spare() {
	free := []reg.VecPhysical{reg.Z28, reg.Z29, reg.Z30}
	for i := u.n * u.inStep; i < maxInFlight; i++ {
		free = append(free, uniformState[i], uniformSealed[i])
	}
	take := func(n int) (taken []reg.VecPhysical) {
		taken, free = free[:n], free[n:]
		return taken
	}
	u.keys[u.rounds] = take(1)[0]
	if u.masks {
		u.mask = take(1)[0]
	}
	if u.n > len(free) {
		u.power = take(1)[0]
	}
	u.powers = take(min(u.n, len(free)))
	copy(u.keys[1:], free)
}

// What registers hold. Associated data are those of two packets, hashes those of
// the first two.
var (
	uniformState  = zmm[0:5]
	uniformSealed = zmm[5:10]
	uniformAAD    = zmm[10:12]
	uniformSums   = [2]uniformSum{{reg.Z12, reg.Z13, reg.Z14}, {reg.Z15, reg.Z16, reg.Z17}}
	uniformT      = [3]reg.VecPhysical{reg.Z18, reg.Z19, reg.Z20}
	uniformHash   = reg.Z21
	uniformTags   = reg.Z22 // state of the tag masks
	uniformMask   = reg.Z23 // tag masks
	uniformKey    = reg.Z24 // a round key that is not kept
	uniformFirst  = reg.Z25 // the first round key, and the counter if there is one
	uniformLast   = reg.Z26 // the last round key and the hash of the lengths, for tags
	uniformPowers = reg.Z27 // for associated data

	uniformPacket = [quad]reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}
	uniformWire   = [quad]reg.GPPhysical{reg.RSI, reg.RDI, reg.R12, reg.R13} // ciphertext
	uniformKeys   = reg.RBX                                                  // the schedule
	uniformOrder  = reg.RDX
	uniformFrom   = reg.R14 // where a packet keeps the base of its associated data
	uniformBytes  = reg.R15 // of payload

	tailReversed = reg.K3 // tail in the byte order of GHASH
)

// The frame of a uniform kernel.
const (
	uniformLeft   = 0                 // quads
	uniformRange  = uniformLeft + 8   // ones if associated data have an offset
	uniformPower  = uniformRange + 8  // address of the powers for the payload
	uniformFailed = uniformPower + 8  // a byte for each lane
	uniformNone   = uniformFailed + 8 // what the first quad takes for tags of the quad before
	uniformSame   = uniformNone + 16  // the fields that packets have in common, 8 bytes each
	uniformFrame  = uniformSame + 32
)

// emitUniform writes the function that takes quads.
func (k kernel) emitUniform(name string) {
	signature := "func(packets, order *byte, quads, slot int) (taken int)"
	if k.open {
		signature = "func(packets, order *byte, quads, slot int) (taken, ok int)"
	}
	k.emitQuads(name, signature, uniformFrame, false)
}

// emitQuads writes it with so much of a frame. Where masks are made, packets are known
// to be alike and all quads are taken.
func (k kernel) emitQuads(name, signature string, size int, masks bool) {
	k.labels = new(int)
	TEXT(name, 0, signature)
	Pragma("noescape")
	AllocLocal(size)
	k.uniformStart()
	for n := 1; n < maxUniform; n++ {
		CMPQ(uniformBytes, U32(64*n))
		JBE(LabelRef(fmt.Sprintf("uniform%d", n)))
	}
	for n := maxUniform; n > 0; n-- {
		Label(fmt.Sprintf("uniform%d", n))
		k.uniform(n, masks).loop()
	}
}

// loop takes quads until none is left, and returns.
func (u *uniform) loop() {
	u.begin()
	again, over := u.label("uniformQuad"), u.label("uniformOver")
	Label(again)
	for i := range quad {
		u.uniformAddress(i)
		if !u.masks {
			u.same(uniformPacket[i], over)
		}
	}
	u.quad()
	ADDQ(Imm(quad), uniformOrder)
	DECQ(frame(uniformLeft))
	JNZ(LabelRef(again))
	Label(over)
	if !u.open {
		emitAll(u.hashWave(quad/u.inStep-1, u.sealed))
	}
	if u.masks {
		u.endMasks()
		VZEROUPPER()
		RET()
		return
	}
	u.end()
}

func (u *uniform) begin() {
	VBROADCASTI32X4(key(uniformKeys, 0), uniformFirst)
	if u.n == 1 {
		VPXORQ(counterTable, uniformFirst, uniformFirst)
	}
	MOVQ(frame(uniformPower), reg.RAX)
	for i, r := range u.powers {
		VMOVDQU64(at(reg.RAX, 64*i), r)
	}
	for round, r := range u.keys {
		if r != nil {
			VBROADCASTI32X4(key(uniformKeys, round), r)
		}
	}
	if u.open {
		return
	}
	if u.masks {
		u.startMasks()
	}
	for _, wire := range uniformWire {
		LEAQ(frame(uniformNone), wire)
		SUBQ(uniformBytes, wire)
	}
}

// end returns how many packets were taken, and how many are StatusOK.
func (u *uniform) end() {
	taken := reg.RCX
	Load(Param("quads"), taken)
	SUBQ(frame(uniformLeft), taken)
	SHLQ(Imm(2), taken)
	Store(taken, Return("taken"))
	if u.open {
		MOVL(frame(uniformFailed), reg.EAX)
		IMUL3L(U32(0x01010101), reg.EAX, reg.EAX)
		SHRL(Imm(24), reg.EAX)
		SUBQ(reg.RAX, taken)
		Store(taken, Return("ok"))
	}
	VZEROUPPER()
	RET()
}
