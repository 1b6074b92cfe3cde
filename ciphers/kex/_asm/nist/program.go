package main

import (
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// A program is a formula over field elements, written one operation after the
// other and emitted two at a time. It keeps each value's bound, in units of p,
// and puts in the multiples of p and the folds that keep numbers positive and
// operands below 2^260.
type program struct {
	asm
	base   reg.Register
	values []*value
	first  int // offset of the scratch space
	free   []int
	top    int
}

type kind int

const (
	input kind = iota
	multiply
	scale // by a constant
	plus
	minus
)

// value is the outcome of an operation.
type value struct {
	kind     kind
	x, y     *value
	constant [limbs]uint64
	bound    float64 // the number is below bound·p
	limb     float64 // limbs are below limb·2^52, whatever their sign

	asOperand, asTerm int           // uses to come, by multiplications and by sums
	loose, raw        lanes.Element // where it lies in these forms
	looseAt, rawAt    int           // offsets of the slots, -1 for none
	final, folds      bool
	done              bool
}

// What the program keeps to. An operand of 16p is below 2^260; products of
// operands of foldAt at most are below 5p.
const (
	foldAt      = 8
	folded      = 2.01
	productLimb = 20      // of a product: at most ten halves of products and nine of reduction
	limbLimit   = 1 << 10 // leaves a bit to the sign
	inputSize   = 5.0     // bound of coordinates between kernels
)

// in is an element that lies loose and masked at an offset.
func (p *program) in(offset int) *value {
	e := lanes.At(p.base, offset)
	return p.add(&value{kind: input, loose: e, raw: e, bound: inputSize, limb: 1, done: true, looseAt: -1, rawAt: -1})
}

func (p *program) add(v *value) *value {
	p.values = append(p.values, v)
	return v
}

func (p *program) mul(x, y *value) *value {
	x.asOperand++
	if y != x {
		y.asOperand++
	}
	if x.bound >= 16 || y.bound >= 16 {
		panic("operand too large")
	}
	return p.add(&value{kind: multiply, x: x, y: y, bound: 1.01 + x.bound*y.bound/16, limb: productLimb})
}

func (p *program) scale(x *value, c [limbs]uint64) *value {
	x.asOperand++
	return p.add(&value{kind: scale, x: x, constant: c, bound: 1.01 + x.bound/16, limb: productLimb})
}

func (p *program) plus(x, y *value) *value { return p.sum(plus, x, y, x.bound+y.bound) }

// minus adds as many p as y may have.
func (p *program) minus(x, y *value) *value {
	return p.sum(minus, x, y, x.bound+float64(lifts(y)))
}

func lifts(y *value) int { return int(y.bound) + 1 }

func (p *program) sum(k kind, x, y *value, bound float64) *value {
	x.asTerm++
	y.asTerm++
	v := &value{kind: k, x: x, y: y, bound: bound, limb: x.limb + y.limb}
	if k == minus {
		v.limb += float64(lifts(y))
	}
	if v.limb >= limbLimit {
		panic("limbs too large")
	}
	if v.folds = v.bound >= foldAt; v.folds {
		v.bound = folded
	}
	return p.add(v)
}

// twice and thrice are sums.
func (p *program) twice(x *value) *value  { return p.plus(x, x) }
func (p *program) thrice(x *value) *value { return p.plus(p.plus(x, x), x) }

// emit writes the program. The outputs go to offsets, loose and masked.
func (p *program) emit(outputs map[*value]int) {
	for v, offset := range outputs {
		v.final, v.loose, v.raw = true, lanes.At(p.base, offset), lanes.At(p.base, offset)
		v.folds = v.folds || v.bound > inputSize
	}
	for {
		one := p.ready(nil)
		if one == nil {
			return
		}
		two := p.ready(one)
		threads := [][]lanes.Step{p.steps(one, lanes.Banks[0])}
		if two != nil {
			threads = append(threads, p.steps(two, lanes.Banks[1]))
		}
		lanes.Interleave(threads...)
		p.finish(one)
		if two != nil {
			p.finish(two)
		}
	}
}

// ready finds the next operation whose operands are there, of the same weight
// as beside where there is one.
func (p *program) ready(beside *value) (found *value) {
	for _, v := range p.values {
		if v.done || v == beside || !v.x.done || v.y != nil && !v.y.done {
			continue
		}
		if beside == nil || v.heavy() == beside.heavy() {
			return v
		}
		if found == nil {
			found = v
		}
	}
	return found
}

func (v *value) heavy() bool { return v.kind == multiply || v.kind == scale }

// steps computes v in a bank and stores the forms that are used.
func (p *program) steps(v *value, b lanes.Bank) (s []lanes.Step) {
	l := result(b)
	switch {
	case v.kind == multiply && v.x == v.y:
		s = p.square(b, v.x.loose)
	case v.kind == multiply:
		s = p.product(b, v.x.loose, p.from(v.y.loose))
	case v.kind == scale:
		s = p.product(b, v.x.loose, p.same(v.constant))
	default:
		s = p.term(v, l)
	}
	if v.folds {
		s = append(s, p.fold(l, b[0], b[1])...)
	}
	return append(s, p.keep(v, l, b[0])...)
}

func (p *program) term(v *value, l []reg.VecPhysical) []lanes.Step {
	s := p.Load52(v.x.raw, l)
	for k := range limbs {
		if v.kind == plus {
			s = append(s, func() { p.VPADDQ(v.y.raw.Limb(k), l[k], l[k]) })
		} else {
			s = append(s, func() { p.VPSUBQ(v.y.raw.Limb(k), l[k], l[k]) })
		}
	}
	if v.kind == minus {
		for k := range limbs {
			if c := uint64(lifts(v.y)) * prime[k]; c != 0 {
				s = append(s, func() { p.VPADDQ_BCST(p.Constant(c), l[k], l[k]) })
			}
		}
	}
	return s
}

func (p *program) keep(v *value, l []reg.VecPhysical, t reg.VecPhysical) (s []lanes.Step) {
	if v.final {
		return lanes.Concat(p.Ripple(l, t), p.MaskLimbs(l), p.Store52(l, v.loose))
	}
	if v.asTerm > 0 {
		v.raw, v.rawAt = p.slot()
		s = append(s, p.Store52(l, v.raw)...)
	}
	if v.asOperand > 0 {
		v.loose, v.looseAt = p.slot()
		s = lanes.Concat(s, p.Ripple(l, t), p.Store52(l, v.loose))
	}
	return s
}

func (p *program) slot() (lanes.Element, int) {
	if n := len(p.free); n > 0 {
		offset := p.free[n-1]
		p.free = p.free[:n-1]
		return lanes.At(p.base, offset), offset
	}
	offset := p.first + p.top*lanes.ElementSize
	p.top++
	return lanes.At(p.base, offset), offset
}

// finish marks v done and gives back the slots that it was the last to use.
func (p *program) finish(v *value) {
	v.done = true
	operands := []*value{v.x}
	if v.y != nil && (v.y != v.x || !v.heavy()) {
		operands = append(operands, v.y)
	}
	for _, o := range operands {
		if v.heavy() {
			o.asOperand--
			p.release(&o.looseAt, o.asOperand)
		} else {
			o.asTerm--
			p.release(&o.rawAt, o.asTerm)
		}
	}
}

func (p *program) release(offset *int, uses int) {
	if uses == 0 && *offset > 0 {
		p.free = append(p.free, *offset)
		*offset = -1
	}
}
