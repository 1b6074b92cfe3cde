package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// common are the words that consecutive blocks share besides the constants: the key's and
// the nonce's.
var common = [...]int{4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15}

// initial is where such a word stands; iv is the first counter and the nonce.
func initial(key, iv reg.Register, word int) operand.Mem {
	if word < 12 {
		return mem(key, 4*(word-4))
	}
	return mem(iv, 4*(word-12))
}

// startCounters sets the counters of the first 16 blocks, and what they go up by.
func (c chacha) startCounters(iv reg.Register, counters, step reg.VecPhysical) {
	c.VPBROADCASTD(mem(iv, 0), counters)
	c.VPADDD(c.steps, counters, counters)
	sixteen := c.GP32()
	c.MOVL(operand.U32(width), sixteen)
	c.VPBROADCASTD(sixteen, step)
}

// stretch is the kernel for 16 consecutive blocks of one packet.
func (c chacha) stretch() {
	c.function("chachaStretch", "func(dst, src, key, iv *byte, n int)",
		"encrypts n times 1024 bytes. iv is the first counter and the nonce, 16 bytes.")
	dst, src, key, iv, n := c.param("dst"), c.param("src"), c.param("key"), c.param("iv"), c.param("n")
	counters, step, spare := z[16], z[17], z[18:22]
	c.startCounters(iv, counters, step)
	c.Label("stretch")
	c.constants()
	for _, j := range common {
		c.VPBROADCASTD(initial(key, iv, j), c.x[j])
	}
	c.VMOVDQA32(counters, c.x[12])
	c.rounds()
	c.addConstants()
	for _, j := range common {
		c.VPADDD_BCST(initial(key, iv, j), c.x[j], c.x[j])
	}
	c.VPADDD(counters, c.x[12], c.x[12])
	c.VPADDD(step, counters, counters)
	for i, block := range c.keyStream(spare) {
		c.VPXORD(mem(src, 64*i), block, block)
		c.VMOVDQU32(block, mem(dst, 64*i))
	}
	c.ADDQ(operand.U32(64*width), src)
	c.ADDQ(operand.U32(64*width), dst)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("stretch"))
	c.done()
}
