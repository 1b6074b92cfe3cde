package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// sampleKernel keeps of 12-bit candidates those below q, 16 candidates a step
// (FIPS 203 algorithm 7). The matrix is public: what its bytes are may be seen in
// the time.
func (a asm) sampleKernel() {
	a.begin("sample", "appends to dst, which has n coefficients, those that steps times 24 bytes give, and returns how many it has then. It writes up to 32 bytes behind them.",
		", n, steps int) (total int", "dst", "src")
	p := a.pointers("dst", "src")
	n, steps, kept := a.GP64(), a.GP64(), a.GP64()
	a.Load(a.Param("n"), n)
	a.Load(a.Param("steps"), steps)
	order, shift, twelve, limit, x := lanes.Z(31), lanes.Z(30), lanes.Z(29), lanes.Z(28), lanes.Z(0)
	a.VMOVDQU64(a.bytes8("candidates", func(i int) int { return min(3*(i/4)/2+i%4, 63) }), order)
	a.VMOVDQU64(a.Table("nibbles", repeated(4<<32, 8)...), shift)
	a.all32(0xfff, twelve)
	a.all32(q, limit)
	a.Label("step")
	a.VPERMB(operand.Mem{Base: p[1]}, order, x)
	a.VPSRLVD(shift, x, x)
	a.VPANDD(twelve, x, x)
	a.VPCMPUD(operand.Imm(1), limit, x, reg.K1) // x < limit
	a.VPCOMPRESSD(x, reg.K1, x)
	a.VPMOVDW(x, operand.Mem{Base: p[0], Index: n, Scale: 2})
	a.KMOVW(reg.K1, kept.As32())
	a.POPCNTL(kept.As32(), kept.As32())
	a.ADDQ(kept, n)
	a.ADDQ(operand.Imm(24), p[1])
	a.DECQ(steps)
	a.JNE(operand.LabelRef("step"))
	a.Store(n, a.ReturnIndex(0))
	a.end()
}

func repeated(v uint64, n int) (all []uint64) {
	for range n {
		all = append(all, v)
	}
	return all
}

// halves splits bytes, one in each 32 bits of x, into their nibbles, 16 bits each.
func (a asm) halves(x, t, nibbles reg.VecPhysical) {
	a.VPSLLD(operand.Imm(12), x, t)
	a.VPTERNLOGD(operand.Imm(orAnd), nibbles, t, x)
}

const (
	orAnd   = 0xa8 // (x or t) and nibbles
	nibble2 = 0x000f000f
)

// noiseKernel is the centered binomial distribution for eta = 2 (FIPS 203
// algorithm 8): each nibble gives a coefficient, the bits of its lower half less
// those of its upper one, which a table in a register finds.
func (a asm) noiseKernel() {
	p := a.kernel("noise", "samples a polynomial within 2 of zero from 128 bytes.", "dst", "src")
	table, nibbles, x, t := lanes.Z(31), lanes.Z(30), lanes.Z(0), lanes.Z(1)
	v := make([]int, perRegister)
	for i := range v {
		v[i] = i&1 + i>>1&1 - i>>2&1 - i>>3&1
	}
	a.VMOVDQU64(a.words16("binomial", v), table)
	a.all32(nibble2, nibbles)
	for i := range registers {
		a.VPMOVZXBD(operand.Mem{Base: p[1], Disp: i * perRegister / 2}, x)
		a.halves(x, t, nibbles)
		a.VPERMW(table, x, x)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.end()
}

// addMessageKernel adds q/2, rounded, where the message has a bit.
func (a asm) addMessageKernel() {
	p := a.kernel("addMessage", "adds the polynomial of a message of 32 bytes (FIPS 203 algorithm 14, step 20).", "p", "message")
	half, x, bits := a.all((q+1)/2, lanes.Z(31)), lanes.Z(0), a.GP32()
	for i := range registers {
		a.MOVL(operand.Mem{Base: p[1], Disp: 4 * i}, bits)
		a.KMOVD(bits, reg.K1)
		a.VMOVDQA64(part(p[0], i), x)
		a.VPADDW(half, x, reg.K1, x)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.end()
}

// recoverMessageKernel finds which coefficients of v - w are nearer to q/2 than to 0.
func (a asm) recoverMessageKernel() {
	p := a.kernel("recoverMessage", "writes the 32 bytes of the message that v - w carries, v and w within 3q.", "message", "v", "w")
	b, quarter, x, bits := a.newBarrett(reducer), a.all(q/4, lanes.Z(31)), lanes.Z(0), a.GP32()
	for i := range registers {
		a.VMOVDQA64(part(p[1], i), x)
		a.VPSUBW(part(p[2], i), x, x)
		a.reduce(x, b)
		a.VPABSW(x, x)
		a.VPCMPUW(operand.Imm(6), quarter, x, reg.K1) // x > quarter
		a.KMOVD(reg.K1, bits)
		a.MOVL(bits, operand.Mem{Base: p[0], Disp: 4 * i})
	}
	a.end()
}
