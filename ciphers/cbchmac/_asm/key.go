package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// key has what the key expansion of FIPS 197 needs, from the processor and so in
// constant time.
func (a asm) key() {
	a.function("subWord", "func(word uint32) uint32", "applies the S-box to each byte of word.")
	word, x := a.Load(a.Param("word"), a.GP32()), reg.X0
	a.VMOVD(word, x)
	a.VPSHUFD(operand.Imm(0), x, x)
	a.VAESKEYGENASSIST(operand.Imm(0), x, x)
	a.VMOVD(x, word)
	a.Store(word, a.ReturnIndex(0))
	a.RET()

	a.function("invMixColumns", "func(key *byte)", "applies InvMixColumns to a round key.")
	at := a.param("key")
	a.VMOVDQU(mem(at, 0), x)
	a.VAESIMC(x, x)
	a.VMOVDQU(x, mem(at, 0))
	a.RET()
}
