package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Truth tables of VPTERNLOG.
const (
	parity   = 0x96
	choose   = 0xca // the second operand where the first is set, else the third
	majority = 0xe8
)

// ternary puts f of three registers into dst, which is none of them.
func (h *hasher) ternary(f uint64, x, y, last, dst reg.VecPhysical) {
	h.VMOVDQA32(x, dst)
	h.VPTERNLOGD(operand.Imm(f), last, y, dst)
}

// sha1 is FIPS 180-4 section 6.1.2.
func (h *hasher) sha1(constants operand.Mem) {
	k, f, t := h.t[0], h.t[1], h.t[2]
	a, b, c, d, e := 0, 1, 2, 3, 4
	for i := range 80 {
		if i%20 == 0 {
			h.VPBROADCASTD(constants.Offset(4*(i/20)), k)
		}
		w := h.w[i%16]
		if i >= 16 {
			h.VPXORD(h.w[(i-3)%16], w, w)
			h.VPTERNLOGD(operand.Imm(parity), h.w[(i-14)%16], h.w[(i-8)%16], w)
			h.VPROLD(operand.Imm(1), w, w)
		}
		s := h.state
		h.ternary([]uint64{choose, parity, majority, parity}[i/20], s[b], s[c], s[d], f)
		h.VPADDD(w, s[e], s[e])
		h.VPROLD(operand.Imm(5), s[a], t)
		h.VPADDD(k, f, f)
		h.VPROLD(operand.Imm(30), s[b], s[b])
		h.VPADDD(t, s[e], s[e])
		h.VPADDD(f, s[e], s[e])
		a, b, c, d, e = e, a, b, c, d
	}
}

// sha256 is FIPS 180-4 section 6.2.2. Of its four times 16 rounds the last three are
// a loop, in which registers come round to where they were.
func (h *hasher) sha256(constants operand.Mem) {
	h.LEAQ(constants, constant)
	h.sha256Rounds(false)
	h.MOVL(operand.U32(3), count.As32())
	h.Label("again")
	h.ADDQ(operand.Imm(64), constant)
	h.sha256Rounds(true)
	h.DECL(count.As32())
	h.JNZ(operand.LabelRef("again"))
}

// sha256Rounds is 16 rounds, each with the next word of the message schedule if it
// is not the message's own.
func (h *hasher) sha256Rounds(schedule bool) {
	t, u := h.t[0], h.t[1]
	for i, w := range h.w {
		if schedule {
			h.sigma(7, 18, 3, h.w[(i+1)%16], t)
			h.VPADDD(t, w, w)
			h.VPADDD(h.w[(i+9)%16], w, w)
			h.sigma(17, 19, 10, h.w[(i+14)%16], t)
			h.VPADDD(t, w, w)
		}
		var s [8]reg.VecPhysical
		for j := range s {
			s[j] = h.state[(j+16-i)%8]
		}
		h.VPADDD(w, s[7], s[7])
		h.VPADDD_BCST(mem(constant, 4*i), s[7], s[7])
		h.ternary(choose, s[4], s[5], s[6], u)
		h.bigSigma(6, 11, 25, s[4], t)
		h.VPADDD(u, s[7], s[7])
		h.VPADDD(t, s[7], s[7])
		h.VPADDD(s[7], s[3], s[3])
		h.ternary(majority, s[0], s[1], s[2], u)
		h.bigSigma(2, 13, 22, s[0], t)
		h.VPADDD(u, s[7], s[7])
		h.VPADDD(t, s[7], s[7])
	}
}

// sigma is the function of that name in lower case, with two rotations and a
// shift; dst is not x.
func (h *hasher) sigma(r1, r2, shift uint64, x, dst reg.VecPhysical) {
	h.VPRORD(operand.Imm(r1), x, dst)
	h.VPRORD(operand.Imm(r2), x, h.t[2])
	h.VPSRLD(operand.Imm(shift), x, h.t[3])
	h.VPTERNLOGD(operand.Imm(parity), h.t[3], h.t[2], dst)
}

// bigSigma is the one in upper case, with three rotations.
func (h *hasher) bigSigma(r1, r2, r3 uint64, x, dst reg.VecPhysical) {
	h.VPRORD(operand.Imm(r1), x, dst)
	h.VPRORD(operand.Imm(r2), x, h.t[2])
	h.VPRORD(operand.Imm(r3), x, h.t[3])
	h.VPTERNLOGD(operand.Imm(parity), h.t[3], h.t[2], dst)
}

var sha256Constants = [...]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
