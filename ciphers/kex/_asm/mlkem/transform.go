package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// The registers of both transforms: the polynomial in 0 to 7, scratch, constants.
var (
	scratch  = [3]reg.VecPhysical{lanes.Z(8), lanes.Z(9), lanes.Z(10)}
	zeta     = [2]reg.VecPhysical{lanes.Z(11), lanes.Z(12)}
	backLow  = lanes.Z(13)
	backHigh = lanes.Z(14)
	swapLow  = lanes.Z(15)
	swapHigh = lanes.Z(16)
)

const reducer = 17 // the first of the four registers of a barrett

// transformKernel is the number-theoretic transform. Each layer adds
// less than 0.7q to the coefficients, which therefore fit into 16 bits.
func (a asm) transformKernel() {
	p := a.kernel("transform", "is NTT of a polynomial within 3q of zero, in place, reduced.", "p")[0]
	b := a.load(p)
	for _, d := range []int{4, 2, 1} {
		for i := range registers {
			if i&d == 0 {
				if i%(2*d) == 0 {
					a.blockZeta(d, i, false)
				}
				a.forward(lanes.Z(i), lanes.Z(i+d), factor{zeta[0], zeta[1]}, b.q)
			}
		}
	}
	pairs := a.allPairs()
	a.index("swap", mixed(0, 1, 2).at, mixed(0, 1, 2, 3).at, swapLow, swapHigh)
	a.index("back", mixed(0, 1, 2, 3).at, newPair(0).at, backLow, backHigh)
	for kind := range mixes {
		for n, x := range pairs {
			a.mix(x, kind)
			a.forward(x.low, x.high, a.factors(fmt.Sprintf("zeta%dx%d", x.apart(), n), x.zetas(false)), b.q)
		}
	}
	for _, x := range pairs {
		a.place(x, backLow, backHigh)
	}
	a.reduceAll(b)
	a.store(p)
	a.end()
}

// inverseKernel is the inverse transform. Sums double in each layer: three take
// 0.81q to less than 6.5q, and four take what is reduced then to 8.1q.
func (a asm) inverseKernel() {
	p := a.kernel("inverse", "is the inverse NTT, times 2^16, of a polynomial within 0.81q of zero, in place, within 0.71q.", "p")[0]
	b := a.load(p)
	pairs := a.allPairs()
	a.index("swap2", mixed(0, 1, 2).at, mixed(0, 1, 2, 3).at, swapLow, swapHigh)
	a.index("forth", newPair(0).at, mixed(0, 1, 2, 3).at, backLow, backHigh)
	for _, x := range pairs {
		a.place(x, backLow, backHigh)
		for kind := range mixes {
			x.follow(kind)
		}
	}
	for layer, kind := range []int{3, 2, 0, 1} {
		for n, x := range pairs {
			a.backward(x.low, x.high, a.factors(fmt.Sprintf("back%dx%d", x.apart(), n), x.zetas(true)), b.q)
			a.mix(x, kind)
		}
		if layer == 2 {
			a.reduceAll(b)
		}
	}
	for _, d := range []int{1, 2, 4} {
		for i := range registers {
			if i&d == 0 {
				if i%(2*d) == 0 {
					a.blockZeta(d, i, true)
				}
				a.backward(lanes.Z(i), lanes.Z(i+d), factor{zeta[0], zeta[1]}, b.q)
			}
		}
	}
	last := a.same(mont(mont(1)*3303), zeta[0], zeta[1]) // 3303 is 1/128
	for i := range registers {
		a.times(lanes.Z(i), last, b.q, scratch[0])
	}
	a.store(p)
	a.end()
}

func (a asm) allPairs() (pairs [registers / 2]*pair) {
	for p := range pairs {
		pairs[p] = newPair(p)
	}
	return pairs
}

func (a asm) load(p reg.Register) barrett {
	for i := range registers {
		a.VMOVDQA64(part(p, i), lanes.Z(i))
	}
	return a.newBarrett(reducer)
}

func (a asm) store(p reg.Register) {
	for i := range registers {
		a.VMOVDQA64(lanes.Z(i), part(p, i))
	}
}

func (a asm) reduceAll(b barrett) {
	for i := range registers {
		a.reduce(lanes.Z(i), b)
	}
}

// blockZeta loads the factor of a block of registers, d of them apart.
func (a asm) blockZeta(d, first int, inverse bool) {
	i := blockFactor(perRegister*d, first/(2*d), inverse)
	a.same(mont(power(reversed(i))), zeta[0], zeta[1])
}

// forward is a butterfly of the transform: low + zeta·high and low - zeta·high.
func (a asm) forward(low, high reg.VecPhysical, zeta factor, q reg.VecPhysical) {
	a.times(high, zeta, q, scratch[1])
	a.VPSUBW(high, low, scratch[1])
	a.VPADDW(high, low, low)
	a.VMOVDQA64(scratch[1], high)
}

// backward is one of the inverse: low + high and zeta·(high - low).
func (a asm) backward(low, high reg.VecPhysical, zeta factor, q reg.VecPhysical) {
	a.VPSUBW(low, high, scratch[1])
	a.VPADDW(high, low, low)
	a.VMOVDQA64(scratch[1], high)
	a.times(high, zeta, q, scratch[2])
}
