// Command shake writes the assembly of package shake.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// asm is the file under construction.
type asm struct{ lanes.File }

func main() {
	a := asm{lanes.New()}
	a.permuteKernel()
	a.Write("shake", "../internal/shake/shake_avx512_amd64.s")
}

const (
	rounds = 24
	words  = 25
	// period is how many rounds permute the words among the registers until each
	// is back.
	period = 4
)

// permuteKernel is Keccak-f[1600] (FIPS 202 section 3.3) on eight states, a
// register for each word of the state, a state in each 64-bit lane.
func (a asm) permuteKernel() {
	a.Function("permute")
	a.SignatureExpr("func(s *byte)")
	a.Doc("permute applies Keccak-f[1600] to eight states.")
	s := a.Load(a.Param("s"), a.GP64())
	iota, n := a.GP64(), a.GP64()
	a.LEAQ(a.Table("iota", roundConstants[:]...), iota)
	a.MOVQ(operand.U32(rounds/period), n)
	for i := range words {
		a.VMOVDQA64(operand.Mem{Base: s, Disp: 64 * i}, lanes.Z(i))
	}
	a.Label("rounds")
	for i := range period {
		a.theta(i)
		a.rows(i)
		a.VPXORQ_BCST(operand.Mem{Base: iota, Disp: 8 * i}, word(i+1, 0, 0), word(i+1, 0, 0))
	}
	a.ADDQ(operand.Imm(8*period), iota)
	a.DECQ(n)
	a.JNE(operand.LabelRef("rounds"))
	for i := range words {
		a.VMOVDQA64(lanes.Z(i), operand.Mem{Base: s, Disp: 64 * i})
	}
	a.VZEROUPPER()
	a.RET()
}
