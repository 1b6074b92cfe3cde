package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	hashBlock = 16 // bytes
	keySize   = 32 // bytes of a one-time key: r and s
)

// Predicates of VPCMPUQ.
const (
	less        = 1
	notAbove    = 2
	greaterThan = 6
)

// start is the kernel for keys and first blocks.
func (p poly) start() {
	p.function("hashStart", "func(l, keys, edges *byte)",
		"begins with 8 keys of 32 bytes, and the associated data of the lanes that have up to 32 bytes of them.")
	l, keys, edges := p.param("l"), p.param("keys"), p.param("edges")
	p.constants()
	p.keys(l, keys)
	p.clear()
	p.multiply(p.r.limbs, p.r)
	p.carry(p.r2.limbs)
	p.keep(mem(l, hashR2), p.r2.limbs[:]...)
	p.heads(edges)
	p.headHash()
	p.keep(mem(l, hashH), p.h[:]...)
	p.done()
}

// keys loads r, and s where it is for end.
func (p poly) keys(l, keys reg.Register) {
	var at places
	for lane := range at {
		at[lane] = mem(keys, keySize*lane)
	}
	p.load(at, hashBlock, p.first)
	p.keep(mem(l, hashS), p.first[0], p.first[1])
	p.load(at, 0, p.r.limbs)
	for i, clamp := range []uint64{0x0ffffffc0fffffff, 0x0ffffffc0ffffffc} { // RFC 8439 section 2.5.1
		p.broadcast(clamp, p.t[0])
		p.VPANDQ(p.t[0], p.r.limbs[i], p.r.limbs[i])
	}
	p.split(p.r.limbs)
	p.times20(p.r)
	p.keep(mem(l, hashR), p.r.limbs[:]...)
}

// heads loads the associated data: into first and second in lanes that have two blocks, whose
// bits are set in K2, and into second in those that have one, whose bits K1 has too.
func (p poly) heads(edges reg.Register) {
	at := p.pointers(mem(edges, edgeAAD))
	p.load(at, 0, p.first)
	p.load(at, hashBlock, p.second)
	p.restore(mem(edges, edgeSizes), p.n)
	p.trim(p.first, 0)
	p.trim(p.second, hashBlock)
	p.broadcast(2*hashBlock, p.t[0])
	p.VPCMPUQ(operand.Imm(notAbove), p.t[0], p.n, reg.K3)
	p.VPTESTMQ(p.n, p.n, reg.K3, reg.K1)
	p.broadcast(hashBlock, p.t[0])
	p.VPCMPUQ(operand.Imm(greaterThan), p.t[0], p.n, reg.K3, reg.K2)
	p.KNOTB(reg.K2, reg.K3)
	for i := range 2 {
		p.VMOVDQA64(p.first[i], reg.K3, p.second[i])
	}
}

// headHash is h = first r^2 + second r in lanes with two blocks, second r in those with one,
// and 0 in others.
func (p poly) headHash() {
	p.block(p.second)
	p.only(reg.K1, p.second)
	p.clear()
	p.multiply(p.second, p.r)
	p.KTESTB(reg.K2, reg.K2)
	p.JZ(operand.LabelRef("one"))
	p.block(p.first)
	p.only(reg.K2, p.first)
	p.times20(p.r2)
	p.multiply(p.first, p.r2)
	p.Label("one")
	p.carry(p.h)
}

// only makes x zero in lanes whose bits are not set.
func (p poly) only(lanes reg.OpmaskPhysical, x limbs) {
	for i := range x {
		p.VMOVDQA64_Z(x[i], lanes, x[i])
	}
}

// seal is the kernel for last blocks and tags.
func (p poly) seal() {
	p.function("hashSeal", "func(l, edges *byte)", "ends with tails and sizes, and stores the tags.")
	edges := p.param("edges")
	tags := p.end(p.param("l"), edges)
	p.store(tags, p.pointers(mem(edges, edgeTag)))
	p.done()
}

// open is the kernel for last blocks and tags to compare.
func (p poly) open() {
	p.function("hashOpen", "func(l, edges *byte) (equal int)",
		"ends with tails and sizes, and returns the bits of the lanes that have the tags.")
	edges := p.param("edges")
	tags, received := p.end(p.param("l"), edges), p.second
	p.load(p.pointers(mem(edges, edgeTag)), 0, received)
	for i := range 2 {
		p.VPXORQ(tags[i], received[i], p.t[i])
	}
	p.VPORQ(p.t[0], p.t[1], p.t[0])
	p.VPTESTNMQ(p.t[0], p.t[0], reg.K1)
	equal := p.GP64()
	p.KMOVB(reg.K1, equal.As32())
	p.Store(equal, p.Return("equal"))
	p.done()
}

// end makes the tags, two words in the limbs that it returns.
func (p poly) end(l, edges reg.Register) limbs {
	p.constants()
	p.resume(l)
	p.lastPair(edges)
	p.pair()
	p.reduce()
	p.join(p.first)
	p.addS(l, p.first)
	return p.first
}

// lastPair loads tail and sizes as a pair. A lane without a tail has the sizes first, r as
// its factor, and nothing second.
func (p poly) lastPair(edges reg.Register) {
	p.load(p.pointers(mem(edges, edgeTail)), 0, p.first)
	p.restore(mem(edges, edgeSizes), p.second[0], p.second[1])
	p.broadcast(hashBlock-1, p.t[0])
	p.VPANDQ(p.t[0], p.second[1], p.n)
	p.VPTESTMQ(p.n, p.n, reg.K1)
	p.trim(p.first, 0)
	p.block(p.first)
	p.block(p.second)
	for i := range p.first {
		p.VPBLENDMQ(p.first[i], p.second[i], reg.K1, p.first[i])
		p.VPBLENDMQ(p.r2.limbs[i], p.r.limbs[i], reg.K1, p.r2.limbs[i])
	}
	p.only(reg.K1, p.second)
	p.times20(p.r)
	p.times20(p.r2)
}
