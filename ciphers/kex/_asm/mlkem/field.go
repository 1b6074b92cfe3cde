package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// mont is x·2^16 modulo q, nearest to zero.
func mont(x int) int { return center(x * (1 << 16 % q) % q) }

func center(x int) int {
	if x = (x%q + q) % q; x > q/2 {
		x -= q
	}
	return x
}

// power is 17^e modulo q: 17 is the 256th root of unity of FIPS 203 section 4.3.
func power(e int) int {
	x := 1
	for range e {
		x = x * 17 % q
	}
	return x
}

// reversed are the 7 bits of i in reverse (FIPS 203 section 2.3).
func reversed(i int) (r int) {
	for b := range 7 {
		r |= i >> b & 1 << (6 - b)
	}
	return r
}

// factor is a number that others are multiplied by: in Montgomery form and, for
// the lower half, times 1/q modulo 2^16. Both are registers or memory.
type factor struct{ whole, low operand.Op }

// times leaves x·f/2^16 modulo q in x, between -q and q, of any 16-bit x.
func (a asm) times(x reg.VecPhysical, f factor, q, t reg.VecPhysical) {
	a.VPMULLW(f.low, x, t)
	a.VPMULHW(f.whole, x, x)
	a.VPMULHW(q, t, t)
	a.VPSUBW(t, x, x)
}

// factors are tables of a vector of factors and its low part.
func (a asm) factors(name string, v []int) factor {
	low := make([]int, len(v))
	for i, n := range v {
		low[i] = n * qInverse
	}
	return factor{a.words16(name, v), a.words16(name+"low", low)}
}

// part is that many bytes behind both tables.
func (f factor) part(i int) factor {
	return factor{f.whole.(operand.Mem).Offset(i * width), f.low.(operand.Mem).Offset(i * width)}
}

// same is one factor in all places, in two registers.
func (a asm) same(v int, whole, low reg.VecPhysical) factor {
	return factor{a.all(v, whole), a.all(v*qInverse, low)}
}

// barrett has the registers that reduce needs.
type barrett struct{ v, round, q, t reg.VecPhysical }

// newBarrett takes the registers from first on, of which the last is scratch.
func (a asm) newBarrett(first int) barrett {
	return barrett{
		v:     a.all((1<<26+q/2)/q, lanes.Z(first)),
		round: a.all(32, lanes.Z(first+1)),
		q:     a.all(q, lanes.Z(first+2)),
		t:     lanes.Z(first + 3),
	}
}

// reduce brings any 16-bit number to within q/2 + 4 of zero: x less q times
// x/q, rounded, which is x·20159/2^16 rounded down and that /2^10 rounded.
func (a asm) reduce(x reg.VecPhysical, b barrett) {
	a.VPMULHW(b.v, x, b.t)
	a.VPMULHRSW(b.round, b.t, b.t)
	a.VPMULLW(b.q, b.t, b.t)
	a.VPSUBW(b.t, x, x)
}
