package main

import "github.com/mmcloughlin/avo/reg"

// key has what decryption's round keys need (FIPS 197 section 5.3.5), from the processor
// and so in constant time.
func (a asm) key() {
	a.function("invMixColumns", "func(key *byte)", "applies InvMixColumns to a round key.")
	at, x := a.param("key"), reg.X0
	a.VMOVDQU(mem(at, 0), x)
	a.VAESIMC(x, x)
	a.VMOVDQU(x, mem(at, 0))
	a.RET()
}
