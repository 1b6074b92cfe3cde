package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The counter blocks of a packet differ in their last word only. A round of AES is
// linear but for what it does to single bytes, and so its outcome for a nonce and a
// counter is that for the nonce and counter 0 plus what the counter changes, which
// is the same for all nonces: the delta of the counter. Deltas are made once a call; a
// quad then needs one register of first rounds, of its four nonces.

// What lies in whole cache lines of the frame. All of it is wiped at the end: it tells
// of the key.
const (
	lineTags    = maxUniform + iota // the delta of counter 1; deltas of the others come first
	lineLengths                     // the last round key and the hash of the lengths, for tags
	lineNonces                      // first rounds of the nonces of the quad
	numLines
)

// lines is the register that has their address where they are used.
var lines = reg.RAX

func line(n int) Mem { return at(lines, 64*n) }

func findLines() { MOVQ(frame(uniformLines), lines) }

// startLines finds room for them.
func startLines() {
	LEAQ(frame(uniformRoom+63), lines)
	ANDQ(I32(-64), lines)
	MOVQ(lines, frame(uniformLines))
}

func (u *uniform) wipeLines() {
	findLines()
	clearRegister(reg.X0)
	for _, delta := range u.deltas {
		if _, inLine := delta.(Mem); inLine {
			VMOVDQA64(reg.Z0, delta)
		}
	}
	for n := lineTags; n < numLines; n++ {
		VMOVDQA64(reg.Z0, line(n))
	}
}

// startDeltas makes the deltas, of counter blocks without a nonce.
func (u *uniform) startDeltas() {
	first, none, x := u.t[0], u.t[1], u.t[2]
	findLines()
	VBROADCASTI32X4(key(uniformKeys, 0), first)
	VPXORD(none, none, none)
	VAESENC(none, first, none)
	delta := func(x reg.VecPhysical, to Op) {
		VPXORQ(first, x, x)
		VAESENC(none, x, x)
		VMOVDQA64(x, to)
	}
	VBROADCASTI32X4(firstTable, x)
	delta(x, line(lineTags))
	for r, to := range u.deltas {
		VMOVDQU64(counterTable.Offset(64*r), x)
		delta(x, to)
	}
}

// nonces does the first round of the nonces of the quad in work.
func (u *uniform) nonces() []step {
	x := u.t[0]
	return append([]step{func() {
		var m [quad]Mem
		for i := range m {
			m[i] = u.field(i, packetNonce)
		}
		gather(m, x)
	}}, u.firstRound(x)...)
}

// nextNonces does that of the quad behind in a row, so that this can begin at once;
// behind the last one it takes the same again.
func (u *uniform) nextNonces() (steps []step) {
	if !u.row {
		return nil
	}
	x, packet := u.t[0], reg.RCX
	steps = []step{
		func() { LEAQ(at(uniformPacket[0], quad<<packetShift), packet) },
		func() { CMPQ(frame(uniformLeft), Imm(1)) },
		func() { CMOVQEQ(uniformPacket[0], packet) },
	}
	for i := range quad {
		steps = append(steps, func() { insert(i, at(packet, i<<packetShift+packetNonce), x) })
	}
	return append(steps, u.firstRound(x)...)
}

func (u *uniform) firstRound(x reg.VecPhysical) []step {
	return []step{
		func() { // what follows a nonce in memory does not change the key
			VBROADCASTI32X4(key(uniformKeys, 0), u.key)
			VPXORD(x, u.key, nonceWords, u.key)
			VMOVDQA64(u.key, x)
		},
		func() {
			VBROADCASTI32X4(key(uniformKeys, 1), u.key)
			VAESENC(u.key, x, x)
		},
		func() {
			findLines()
			VMOVDQA64(x, line(lineNonces))
		},
	}
}

// startTags does the first round of the quad's tag masks.
func (u *uniform) startTags() {
	findLines()
	VMOVDQA64(line(lineNonces), u.tags)
	VPXORQ(line(lineTags), u.tags, u.tags)
}

// startWave does the first round of the packets of a wave.
func (u *uniform) startWave(wave int) {
	findLines()
	for i := range u.inStep {
		x, base := u.states(i), u.key
		if u.n == 1 {
			base = x[0]
		}
		u.spreadNonce(wave*u.inStep+i, base)
		for r, delta := range u.deltas {
			VPXORQ(delta, base, x[r])
		}
	}
}

// spreadNonce has the first round of packet i's nonce in all lanes. Where that was done
// only just, and all packets begin at once, they would wait for memory.
func (u *uniform) spreadNonce(i int, base reg.VecPhysical) {
	if made := u.t[0]; !u.row && u.crossed() {
		VSHUFI32X4(U8(uint8(0x55*i)), made, made, base)
		return
	}
	VBROADCASTI32X4(line(lineNonces).Offset(16*i), base)
}
