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
	laneSrc = laneIV + lanes*8
	laneDst = laneSrc + lanes*8
	laneKey = laneDst + lanes*8
)

// scheduleRounds is where a schedule's round keys start.
const scheduleRounds = 64

var variants = []struct{ bits, rounds int }{{128, 10}, {192, 12}, {256, 14}}

func (a asm) cbc() {
	a.spread()
	a.replace()
	for _, v := range variants {
		a.encrypt(fmt.Sprintf("encrypt%d", v.bits), v.rounds)
	}
	for _, v := range variants {
		a.encryptOne(fmt.Sprintf("encryptOne%d", v.bits), v.rounds)
	}
	for _, v := range variants {
		a.decrypt(fmt.Sprintf("decrypt%d", v.bits), v.rounds)
	}
}

// spread emits the function that puts the round keys of 16 schedules beside each
// other, those of a round to four registers.
func (a asm) spread() {
	a.function("spread", "func(keys, l *byte, n int)", "brings n round keys of each lane together.")
	to, l, n, off, p := a.param("keys"), a.param("l"), a.param("n"), a.GP64(), a.GP64()
	key := z[0:quads]
	a.MOVQ(operand.U32(scheduleRounds), off)
	a.Label("round")
	a.gather(mem(l, laneKey), operand.Mem{Base: p, Index: off, Scale: 1}, key)
	for g, k := range key {
		a.VMOVDQU64(k, mem(to, 64*g))
	}
	a.ADDQ(operand.Imm(16), off)
	a.ADDQ(operand.U32(16*lanes), to)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("round"))
	a.VZEROUPPER()
	a.RET()
}

// replace emits the function that does for one lane what spread does for all. It stores
// whole registers, as encrypt loads them: of less it would have to wait.
func (a asm) replace() {
	a.function("replace", "func(row, key *byte, words, n int)", "puts n round keys of a lane, some words of a row, beside those of others.")
	to, from, words, n, x := a.param("row"), a.param("key"), a.param("words"), a.param("n"), z[0]
	a.KMOVW(words.As32(), reg.K1)
	a.Label("round")
	a.VMOVDQU64(mem(to, 0), x)
	a.VBROADCASTI32X4(mem(from, 0), reg.K1, x)
	a.VMOVDQU64(x, mem(to, 0))
	a.ADDQ(operand.Imm(16), from)
	a.ADDQ(operand.U32(16*lanes), to)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("round"))
	a.VZEROUPPER()
	a.RET()
}

// encrypt chains n blocks in each of 16 lanes, four lanes to a register. Every
// lane has round keys of its own, which stand beside those of its register. As many
// as there are registers for stay there: loading all would take longer than the rounds.
func (a asm) encrypt(name string, rounds int) {
	a.function(name, "func(l, keys *byte, n int)", "encrypts n blocks, at least one, in each lane.")
	l, keys, n := a.param("l"), a.param("keys"), a.param("n")
	held := z[2*quads:]
	for i, k := range held {
		a.VMOVDQU64(mem(keys, 64*i), k)
	}
	a.chain(l, n, rounds, func(r, quad int) operand.Op {
		if i := quads*r + quad; i >= len(held) {
			return mem(keys, 64*i)
		}
		return held[quads*r+quad]
	})
}

// encryptOne is encrypt for lanes of one key, whose round keys stay in registers.
func (a asm) encryptOne(name string, rounds int) {
	a.function(name, "func(l *byte, n int)", "encrypts n blocks, at least one, in each lane under one key.")
	l, n, p := a.param("l"), a.param("n"), a.GP64()
	key := z[2*quads:][:rounds+1]
	a.MOVQ(mem(l, laneKey), p)
	for r, k := range key {
		a.VBROADCASTI32X4(mem(p, scheduleRounds+16*r), k)
	}
	a.chain(l, n, rounds, func(r, _ int) operand.Op { return key[r] })
}

// chain emits the chaining and the function's end. All lanes' blocks are read before
// one is written, so that two lanes may be the same.
func (a asm) chain(l, n reg.Register, rounds int, key func(round, quad int) operand.Op) {
	off, p := a.GP64(), a.GP64()
	chain, block := z[0:quads], z[quads:2*quads]
	a.gather(mem(l, laneIV), mem(p, 0), chain)
	a.XORQ(off, off)
	a.Label("block")
	at := operand.Mem{Base: p, Index: off, Scale: 1}
	a.gather(mem(l, laneSrc), at, block)
	for r := range rounds + 1 {
		for g, c := range chain {
			switch r {
			case 0:
				a.VPTERNLOGQ(operand.Imm(0x96), key(r, g), block[g], c)
			case rounds:
				a.VAESENCLAST(key(r, g), c, c)
			default:
				a.VAESENC(key(r, g), c, c)
			}
		}
	}
	a.scatter(chain, mem(l, laneDst), at)
	a.ADDQ(operand.Imm(16), off)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("block"))
	a.VZEROUPPER()
	a.RET()
}

// gather brings a block of each lane into registers, four to one. Pointers to them
// are at at; from has their register and where the blocks lie.
func (a asm) gather(at, from operand.Mem, regs []reg.VecPhysical) {
	for g, r := range regs {
		for i := range 4 {
			a.MOVQ(at.Offset(8*(4*g+i)), from.Base)
			if i == 0 {
				a.VMOVDQU(from, r.AsX())
			} else {
				a.VINSERTI32X4(operand.Imm(uint64(i)), from, r, r)
			}
		}
	}
}

// scatter is gather the other way.
func (a asm) scatter(regs []reg.VecPhysical, at, to operand.Mem) {
	for g, r := range regs {
		for i := range 4 {
			a.MOVQ(at.Offset(8*(4*g+i)), to.Base)
			if i == 0 {
				a.VMOVDQU(r.AsX(), to)
			} else {
				a.VEXTRACTI32X4(operand.Imm(uint64(i)), r, to)
			}
		}
	}
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
