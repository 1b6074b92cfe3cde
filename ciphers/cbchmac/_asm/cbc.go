package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 16
	quads = lanes / 4 // lanes of 128 bits in a register
)

// Offsets in a cbcLanes.
const (
	laneIV  = 0
	laneSrc = laneIV + lanes*16
	laneDst = laneSrc + lanes*8
)

var variants = []struct{ bits, rounds int }{{128, 10}, {192, 12}, {256, 14}}

func (a asm) cbc() {
	for _, v := range variants {
		a.encrypt(fmt.Sprintf("encrypt%d", v.bits), v.rounds)
	}
	for _, v := range variants {
		a.decrypt(fmt.Sprintf("decrypt%d", v.bits), v.rounds)
	}
}

// encrypt chains n blocks in each of 16 lanes, four lanes to a register. Every
// lane has round keys of its own, which stand beside those of its register. All
// lanes' blocks are read before one is written, so that two lanes may be the same.
func (a asm) encrypt(name string, rounds int) {
	a.function(name, "func(l, keys *byte, n int)", "encrypts n blocks, at least one, in each lane.")
	l, keys, n, off, p := a.param("l"), a.param("keys"), a.param("n"), a.GP64(), a.GP64()
	chain, block := z[0:quads], z[quads:2*quads]
	for g, c := range chain {
		a.VMOVDQU64(mem(l, laneIV+64*g), c)
	}
	a.XORQ(off, off)
	a.Label("block")
	for g := range quads {
		for i := range 4 {
			a.MOVQ(mem(l, laneSrc+8*(4*g+i)), p)
			from := operand.Mem{Base: p, Index: off, Scale: 1}
			if i == 0 {
				a.VMOVDQU(from, block[g].AsX())
			} else {
				a.VINSERTI32X4(operand.Imm(uint64(i)), from, block[g], block[g])
			}
		}
	}
	for r := range rounds + 1 {
		for g, c := range chain {
			key := mem(keys, 16*lanes*r+64*g)
			switch r {
			case 0:
				a.VPTERNLOGQ(operand.Imm(0x96), key, block[g], c)
			case rounds:
				a.VAESENCLAST(key, c, c)
			default:
				a.VAESENC(key, c, c)
			}
		}
	}
	for g, c := range chain {
		for i := range 4 {
			a.MOVQ(mem(l, laneDst+8*(4*g+i)), p)
			to := operand.Mem{Base: p, Index: off, Scale: 1}
			if i == 0 {
				a.VMOVDQU(c.AsX(), to)
			} else {
				a.VEXTRACTI32X4(operand.Imm(uint64(i)), c, to)
			}
		}
	}
	a.ADDQ(operand.Imm(16), off)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("block"))
	for g, c := range chain {
		a.VMOVDQU64(c, mem(l, laneIV+64*g))
	}
	a.VZEROUPPER()
	a.RET()
}

// decrypt takes 16 blocks of one packet at a time, and the rest four at a time,
// the last of them under a mask.
func (a asm) decrypt(name string, rounds int) {
	a.function(name, "func(dst, src, iv, keys *byte, n int)", "decrypts n blocks under round keys in the order of decryption.")
	d := decryption{
		asm: a, rounds: rounds, dst: a.param("dst"), src: a.param("src"), keys: a.param("keys"), n: a.param("n"),
		before: z[0], key: z[1],
	}
	a.VBROADCASTI32X4(mem(a.param("iv"), 0), d.before)
	a.Label("long")
	a.CMPQ(d.n, operand.Imm(16))
	a.JB(operand.LabelRef("short"))
	d.step(4, nil)
	a.SUBQ(operand.Imm(16), d.n)
	a.JMP(operand.LabelRef("long"))

	a.Label("short")
	a.CMPQ(d.n, operand.Imm(4))
	a.JB(operand.LabelRef("rest"))
	d.step(1, nil)
	a.SUBQ(operand.Imm(4), d.n)
	a.JMP(operand.LabelRef("short"))

	a.Label("rest")
	a.TESTQ(d.n, d.n)
	a.JZ(operand.LabelRef("done"))
	bits := a.GP64()
	a.MOVL(operand.U32(0x3f), bits.As32())
	a.MOVQ(d.n, reg.RCX)
	a.NEGQ(reg.RCX)
	a.LEAQ(operand.Mem{Base: reg.RCX, Index: reg.RCX, Scale: 1, Disp: 6}, reg.RCX)
	a.SHRQ(reg.CL, bits)
	a.KMOVW(bits.As32(), reg.K1)
	d.step(1, reg.K1)
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}

type decryption struct {
	asm
	rounds            int
	dst, src, keys, n reg.Register
	before            reg.VecPhysical // its last 128 bits are the ciphertext block before the next
	key               reg.VecPhysical
}

// step decrypts so many registers, under a mask where there is one.
func (d decryption) step(count int, mask reg.Register) {
	text, xor := z[4:4+count], z[8:8+count]
	for i, t := range text {
		if mask != nil {
			d.VMOVDQU64_Z(mem(d.src, 64*i), mask, t)
		} else {
			d.VMOVDQU64(mem(d.src, 64*i), t)
		}
	}
	for i, t := range text {
		d.VALIGNQ(operand.Imm(6), d.before, t, xor[i])
		d.VMOVDQA64(t, d.before)
	}
	for r := range d.rounds + 1 {
		d.VBROADCASTI32X4(mem(d.keys, 16*r), d.key)
		for _, t := range text {
			switch r {
			case 0:
				d.VPXORQ(d.key, t, t)
			case d.rounds:
				d.VAESDECLAST(d.key, t, t)
			default:
				d.VAESDEC(d.key, t, t)
			}
		}
	}
	for i, t := range text {
		d.VPXORQ(xor[i], t, t)
		if mask != nil {
			d.VMOVDQU64(t, mask, mem(d.dst, 64*i))
		} else {
			d.VMOVDQU64(t, mem(d.dst, 64*i))
		}
	}
	d.ADDQ(operand.U32(uint32(64*count)), d.src)
	d.ADDQ(operand.U32(uint32(64*count)), d.dst)
}
