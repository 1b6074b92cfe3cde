package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// pair is two registers and which coefficients of their 64 lie where.
type pair struct {
	low, high reg.VecPhysical
	at        [2][perRegister]int
}

func newPair(p int) *pair {
	x := &pair{low: lanes.Z(2 * p), high: lanes.Z(2*p + 1)}
	for half := range x.at {
		for i := range perRegister {
			x.at[half][i] = 2*perRegister*p + perRegister*half + i
		}
	}
	return x
}

// mixes are the ways in which a pair's registers are mixed: where place i of the
// lower one comes from, 32 and above being in the second, and how far behind it
// that of the higher one. The first two move blocks of 16 and 8 coefficients, the
// last two exchange those of 4 and of 2.
var mixes = []struct {
	from   func(i int) int
	behind int
}{
	{func(i int) int { return i%16 + 2*(i&16) }, 16},
	{func(i int) int { return i%8 + 2*(i&24) }, 8},
	{func(i int) int { return i&^4 + 8*(i&4) }, 4},
	{func(i int) int { return i&^2 + 16*(i&2) }, 2},
}

// follow keeps the books of a mix.
func (p *pair) follow(kind int) {
	old := slices.Concat(p.at[0][:], p.at[1][:])
	for i := range perRegister {
		from := mixes[kind].from(i)
		p.at[0][i], p.at[1][i] = old[from], old[from+mixes[kind].behind]
	}
}

// mixed is the first pair after those mixes.
func mixed(kinds ...int) *pair {
	p := newPair(0)
	for _, kind := range kinds {
		p.follow(kind)
	}
	return p
}

// mix emits one.
func (a asm) mix(p *pair, kind int) {
	p.follow(kind)
	t := scratch[0]
	switch kind {
	case 0:
		a.VSHUFI64X2(operand.Imm(0x44), p.high, p.low, t)
		a.VSHUFI64X2(operand.Imm(0xee), p.high, p.low, p.high)
		a.VMOVDQA64(t, p.low)
	case 1:
		a.VSHUFI64X2(operand.Imm(0x88), p.high, p.low, t)
		a.VSHUFI64X2(operand.Imm(0xdd), p.high, p.low, p.high)
		a.VMOVDQA64(t, p.low)
	case 2:
		a.VPUNPCKLQDQ(p.high, p.low, t)
		a.VPUNPCKHQDQ(p.high, p.low, p.high)
		a.VMOVDQA64(t, p.low)
	default:
		a.VMOVDQA64(p.low, t)
		a.VPERMT2D(p.high, swapLow, p.low)
		a.VPERMT2D(p.high, swapHigh, t)
		a.VMOVDQA64(t, p.high)
	}
}

// place moves a pair's coefficients to where the indices say, of both registers.
func (a asm) place(p *pair, low, high reg.VecPhysical) {
	a.VMOVDQA64(p.low, scratch[0])
	a.VPERMT2D(p.high, low, p.low)
	a.VPERMT2D(p.high, high, scratch[0])
	a.VMOVDQA64(scratch[0], p.high)
}

// index makes the two index vectors, in units of two coefficients, that gather
// what want says from what a pair has.
func (a asm) index(name string, have, want [2][perRegister]int, low, high reg.VecPhysical) {
	for half, r := range []reg.VecPhysical{low, high} {
		v := make([]int, perRegister)
		for i := 0; i < perRegister; i += 2 {
			v[i] = slices.Index(slices.Concat(have[0][:], have[1][:]), want[half][i]) / 2
		}
		a.VMOVDQU64(a.words16(fmt.Sprint(name, half), v), r)
	}
}

// apart is how far from each other the coefficients are that lie in one place.
func (p *pair) apart() int { return p.at[1][0] - p.at[0][0] }

// zetas are the factors of a pair's coefficients, block by block (FIPS 203
// algorithms 9 and 10).
func (p *pair) zetas(inverse bool) []int {
	v, d := make([]int, perRegister), p.apart()
	for i, c := range p.at[0] {
		v[i] = mont(power(reversed(blockFactor(d, c/(2*d), inverse))))
	}
	return v
}

// blockFactor is which factor the standard's loops have come to at a block.
func blockFactor(distance, block int, inverse bool) int {
	if inverse {
		return 256/distance - 1 - block
	}
	return 128/distance + block
}
