package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sigma is "expand 32-byte k" (RFC 8439 section 2.3), the constants of row 0.
var sigma = [4]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}

// doubleRounds is how many pairs of column and diagonal rounds ChaCha20 has.
const doubleRounds = 10

func (a asm) chachaTier(tier string, w width) {
	c := chacha{asm: a, w: w, sigma: a.words("sigma", sigma)}
	if w.lanes == 2 {
		c.rot16 = a.words("rot16", [4]uint32{0x01000302, 0x05040706, 0x09080b0a, 0x0d0c0f0e})
		c.rot8 = a.words("rot8", [4]uint32{0x02010003, 0x06050407, 0x0a09080b, 0x0e0d0c0f})
	}
	c.columns("chachaColumns" + tier)
	c.rows("chachaRows" + tier)
}

// words is a constant that repeats every 16 bytes, as long as a ymm register.
func (a asm) words(name string, value [4]uint32) operand.Mem {
	m := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		a.AddDatum(4*i, operand.U32(value[i%4]))
	}
	return m
}

// chacha is what both kernels of a tier share.
type chacha struct {
	asm
	w                  width
	sigma, rot16, rot8 operand.Mem
}

// rounds loops over all double rounds but the last.
func (b burst) rounds(double func()) {
	left := b.GP64()
	b.MOVQ(operand.U32(doubleRounds-1), left)
	b.Label("rounds")
	double()
	b.DECQ(left)
	b.JNZ(operand.LabelRef("rounds"))
}

// rotate turns each word of x left. Where there is no instruction for it, spare
// is overwritten.
func (c chacha) rotate(bits int, x, spare reg.VecPhysical) {
	switch {
	case c.w.lanes == 4:
		c.VPROLD(operand.Imm(uint64(bits)), x, x)
	case bits == 16:
		c.VPSHUFB(c.rot16, x, x)
	case bits == 8:
		c.VPSHUFB(c.rot8, x, x)
	default:
		c.VPSLLD(operand.Imm(uint64(bits)), x, spare)
		c.VPSRLD(operand.Imm(uint64(32-bits)), x, x)
		c.VPXOR(spare, x, x)
	}
}

// turn is x = (x ^ by) <<< bits.
func (c chacha) turn(bits int, by, x, spare reg.VecPhysical) {
	c.xor(c.w, by, x, x)
	c.rotate(bits, x, spare)
}

// transpose turns the 4 by 4 words of each lane of x around: word j of x[k]
// becomes word k of x[j]. It is its own inverse and overwrites t.
func (c chacha) transpose(x, t []reg.VecPhysical) {
	c.VPUNPCKLDQ(x[1], x[0], t[0])
	c.VPUNPCKHDQ(x[1], x[0], t[1])
	c.VPUNPCKLDQ(x[3], x[2], t[2])
	c.VPUNPCKHDQ(x[3], x[2], t[3])
	c.VPUNPCKLQDQ(t[2], t[0], x[0])
	c.VPUNPCKHQDQ(t[2], t[0], x[1])
	c.VPUNPCKLQDQ(t[3], t[1], x[2])
	c.VPUNPCKHQDQ(t[3], t[1], x[3])
}
