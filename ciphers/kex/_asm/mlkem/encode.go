package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// firstBytes sets K2 to the first n bytes of a register.
func (a asm) firstBytes(n uint) {
	m := a.GP64()
	a.MOVQ(operand.U64(1<<n-1), m)
	a.KMOVQ(m, reg.K2)
}

// encode12Kernel is ByteEncode with d = 12 (FIPS 203 algorithm 5), 48 bytes a register.
func (a asm) encode12Kernel() {
	p := a.kernel("encode12", "writes the 384 bytes of a polynomial within q of zero, modulo q.", "dst", "p")
	qs, join, order, x, t := a.all(q, lanes.Z(31)), a.all32(4096<<16|1, lanes.Z(30)), lanes.Z(29), lanes.Z(0), lanes.Z(1)
	a.VMOVDQU64(a.bytes8("three", func(i int) int { return i/3*4 + i%3 }), order)
	a.firstBytes(48)
	for i := range registers {
		a.VMOVDQA64(part(p[1], i), x)
		a.positive(x, qs, t)
		a.VPMADDWD(join, x, x)
		a.VPERMB(x, order, x)
		a.VMOVDQU8(x, reg.K2, operand.Mem{Base: p[0], Disp: 48 * i})
	}
	a.end()
}

// decode12Kernel is ByteDecode with d = 12 (algorithm 6), and the check of an
// encapsulation key (section 7.2).
func (a asm) decode12Kernel() {
	a.begin("decode12", "reads a polynomial of 384 bytes, and returns not zero if a coefficient is q or more.", ") (large int", "dst", "src")
	p := a.pointers("dst", "src")
	order, shift, twelve, qs, x := lanes.Z(31), lanes.Z(30), a.all(0xfff, lanes.Z(29)), a.all(q, lanes.Z(28)), lanes.Z(0)
	a.VMOVDQU64(a.bytes8("twelves", func(i int) int { return min(3*(i/2)/2+i%2, 63) }), order)
	a.all32(4<<16, shift)
	a.firstBytes(48)
	large := a.GP64()
	a.KXORD(reg.K3, reg.K3, reg.K3)
	for i := range registers {
		a.VMOVDQU8_Z(operand.Mem{Base: p[1], Disp: 48 * i}, reg.K2, x)
		a.VPERMB(x, order, x)
		a.VPSRLVW(shift, x, x)
		a.VPANDD(twelve, x, x)
		a.VPCMPUW(operand.Imm(5), qs, x, reg.K1) // x >= q
		a.KORD(reg.K1, reg.K3, reg.K3)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.XORQ(large, large)
	a.KMOVD(reg.K3, large.As32())
	a.Store(large, a.ReturnIndex(0))
	a.end()
}

// compression is Compress of d bits (section 4.2.1) as a 32-bit product, its
// quotient by q from the bit of shift on; the rounding is exact for all of [0, q).
type compression struct {
	factor, round uint32
	shift         uint64
}

var (
	compression10 = compression{1290167, 1665 * 1290167 >> 10, 22}
	compression4  = compression{80635, 1665 * 80635 >> 4, 24}
)

// compress leaves a register's compressed coefficients in 32 bits each: those of
// even places in x, those of odd ones in odd. The sum of p and r is what is compressed.
func (a asm) compress(i int, p, r reg.Register, c compression, x, odd reg.VecPhysical) {
	a.VMOVDQA64(part(p, i), x)
	a.VPADDW(part(r, i), x, x)
	a.positive(x, lanes.Z(31), odd)
	a.VPSRLD(operand.Imm(16), x, odd)
	a.VPANDD_BCST(a.Constant(0xffff), x, x)
	for _, half := range []reg.VecPhysical{x, odd} {
		a.VPMULLD(lanes.Z(30), half, half)
		a.VPADDD(lanes.Z(29), half, half)
		a.VPSRLD(operand.Imm(c.shift), half, half)
	}
}

func (a asm) loadCompression(c compression) {
	a.all(q, lanes.Z(31))
	a.all32(c.factor, lanes.Z(30))
	a.all32(c.round, lanes.Z(29))
}

// compress10Kernel packs pairs into 20 bits and pairs of them into 40.
func (a asm) compress10Kernel() {
	p := a.kernel("compress10", "writes the 320 bytes of p + r, within q of zero, compressed to 10 bits.", "dst", "p", "r")
	a.loadCompression(compression10)
	order, left, x, odd := lanes.Z(28), lanes.Z(27), lanes.Z(0), lanes.Z(1)
	a.VMOVDQU64(a.bytes8("five", func(i int) int { return min(i/5*8+i%5, 63) }), order)
	a.VMOVDQU64(a.Table("left12", repeated(12, 8)...), left)
	a.firstBytes(40)
	for i := range registers {
		a.compress(i, p[1], p[2], compression10, x, odd)
		a.VPSLLD(operand.Imm(10), odd, odd)
		a.VPORD(odd, x, x)
		a.VPSLLVD(left, x, x)
		a.VPSRLQ(operand.Imm(12), x, x)
		a.VPERMB(x, order, x)
		a.VMOVDQU8(x, reg.K2, operand.Mem{Base: p[0], Disp: 40 * i})
	}
	a.end()
}

// compress4Kernel packs pairs into bytes.
func (a asm) compress4Kernel() {
	p := a.kernel("compress4", "writes the 128 bytes of p + r, within q of zero or up to 1.5q, compressed to 4 bits.", "dst", "p", "r")
	a.loadCompression(compression4)
	nibbles, x, odd := a.all32(0xf, lanes.Z(28)), lanes.Z(0), lanes.Z(1)
	for i := range registers {
		a.compress(i, p[1], p[2], compression4, x, odd)
		a.VPANDD(nibbles, x, x)
		a.VPANDD(nibbles, odd, odd)
		a.VPSLLD(operand.Imm(4), odd, odd)
		a.VPORD(odd, x, x)
		a.VPMOVDB(x, operand.Mem{Base: p[0], Disp: 16 * i})
	}
	a.end()
}

// decompress10Kernel multiplies by q and divides by 2^10, rounded: a rounding
// multiplication by q of the number times 2^5.
func (a asm) decompress10Kernel() {
	p := a.kernel("decompress10", "reads a polynomial of 320 bytes compressed to 10 bits, within [0, q].", "dst", "src")
	order, shift, ten, qs, x := lanes.Z(31), lanes.Z(30), a.all(1<<10-1, lanes.Z(29)), a.all(q, lanes.Z(28)), lanes.Z(0)
	a.VMOVDQU64(a.bytes8("tens", func(i int) int { return min(10*(i/2)/8+i%2, 63) }), order)
	a.VPBROADCASTQ(a.Constant(0x0006000400020000), shift)
	a.firstBytes(40)
	for i := range registers {
		a.VMOVDQU8_Z(operand.Mem{Base: p[1], Disp: 40 * i}, reg.K2, x)
		a.VPERMB(x, order, x)
		a.VPSRLVW(shift, x, x)
		a.VPANDD(ten, x, x)
		a.VPSLLW(operand.Imm(5), x, x)
		a.VPMULHRSW(qs, x, x)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.end()
}

func (a asm) decompress4Kernel() {
	p := a.kernel("decompress4", "reads a polynomial of 128 bytes compressed to 4 bits, within [0, q].", "dst", "src")
	nibbles, qs, x, t := a.all32(nibble2, lanes.Z(31)), a.all(q, lanes.Z(30)), lanes.Z(0), lanes.Z(1)
	for i := range registers {
		a.VPMOVZXBD(operand.Mem{Base: p[1], Disp: 16 * i}, x)
		a.halves(x, t, nibbles)
		a.VPSLLW(operand.Imm(11), x, x)
		a.VPMULHRSW(qs, x, x)
		a.VMOVDQA64(x, part(p[0], i))
	}
	a.end()
}
