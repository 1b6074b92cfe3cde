package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A step emits one instruction or a few; steps are spread between AES rounds.
type step func()

func emitAll(steps []step) {
	for _, s := range steps {
		s()
	}
}

// sum adds up products of blocks and powers of H in each lane, unreduced: lo,
// mi and hi weigh 1, x^64 and x^128. With scratch for it, outer halves are
// added in pairs, since one VPTERNLOGQ adds two of them.
type sum struct {
	lo, mi, hi reg.VecPhysical
	t          []reg.VecPhysical // 5 for scratch, 7 for pairs
	begun      bool              // lo, mi and hi hold something
	paired     bool              // t[5] and t[6] wait to be added
}

// product adds what data and power load into the register they are given.
func (s *sum) product(data, power func(dst Op)) []step {
	a := s.t[0]
	return append([]step{func() { data(a) }}, s.times(a, power)...)
}

// times adds the product of data in a register.
func (s *sum) times(a reg.VecPhysical, power func(dst Op)) []step {
	b, mid := s.t[1], s.t[2]
	lo, hi, add := s.place()
	return []step{
		func() { power(b) },
		func() { VPCLMULQDQ(U8(0x00), b, a, lo) },
		func() { VPCLMULQDQ(U8(0x01), b, a, mid) },
		func() { VPCLMULQDQ(U8(0x11), b, a, hi) },
		func() { VPCLMULQDQ(U8(0x10), b, a, b) },
		func() { add(mid, b) },
	}
}

// place says where the next product's outer halves go and how it is added.
func (s *sum) place() (lo, hi reg.VecPhysical, add func(mid, mid2 Op)) {
	switch {
	case !s.begun:
		s.begun = true
		return s.lo, s.hi, func(m, n Op) { VPXORQ(m, n, s.mi) }
	case len(s.t) == 5:
		return s.t[3], s.t[4], func(m, n Op) {
			xor3(m, n, s.mi)
			VPXORQ(s.t[3], s.lo, s.lo)
			VPXORQ(s.t[4], s.hi, s.hi)
		}
	case !s.paired:
		s.paired = true
		return s.t[5], s.t[6], func(m, n Op) { xor3(m, n, s.mi) }
	}
	s.paired = false
	return s.t[3], s.t[4], func(m, n Op) {
		xor3(m, n, s.mi)
		xor3(s.t[3], s.t[5], s.lo)
		xor3(s.t[4], s.t[6], s.hi)
	}
}

// settle adds what waits to be added.
func (s *sum) settle() []step {
	if !s.paired {
		return nil
	}
	s.paired = false
	return []step{
		func() { VPXORQ(s.t[5], s.lo, s.lo) },
		func() { VPXORQ(s.t[6], s.hi, s.hi) },
	}
}

// reduce leaves each lane's sum, reduced, in hi.
func (s *sum) reduce() []step {
	t, poly := s.t[0], s.t[1]
	steps := append(s.settle(),
		func() { VBROADCASTI32X4(polynomial, poly) },
		func() { VPCLMULQDQ(U8(0x10), poly, s.lo, t) },
		func() { VPSHUFD(U8(0x4e), s.lo, s.lo) },
		func() { xor3(s.lo, t, s.mi) },
		func() { VPCLMULQDQ(U8(0x10), poly, s.mi, t) },
		func() { VPSHUFD(U8(0x4e), s.mi, s.mi) },
		func() { xor3(s.mi, t, s.hi) })
	s.begun = false
	return steps
}

// xor3 is dst ^= a ^ b.
func xor3(a, b, dst Op) { VPTERNLOGQ(U8(0x96), b, a, dst) }

func load(m Mem) func(Op)      { return func(dst Op) { VMOVDQU64(m, dst) } }
func broadcast(m Mem) func(Op) { return func(dst Op) { VBROADCASTI32X4(m, dst) } }

// reversed loads blocks from a register or from memory in the byte order of GHASH.
func reversed(blocks Op) func(Op) {
	return func(dst Op) {
		if _, stored := blocks.(Mem); stored {
			VMOVDQU64(blocks, dst)
			blocks = dst
		}
		VPSHUFB(reverse, blocks, dst)
	}
}
