package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// stretch is the kernel for 16 consecutive blocks of one packet.
func (c chacha) stretch() {
	c.function("chachaStretch", "func(dst, src, key, iv *byte, n int)",
		"encrypts n times 1024 bytes. iv is the first counter and the nonce, 16 bytes.")
	dst, src, key, iv, n := c.param("dst"), c.param("src"), c.param("key"), c.param("iv"), c.param("n")
	counters, step, spare := z[16], z[17], z[18:22]
	c.VPBROADCASTD(mem(iv, 0), counters)
	c.VPADDD(c.steps, counters, counters)
	sixteen := c.GP32()
	c.MOVL(operand.U32(width), sixteen)
	c.VPBROADCASTD(sixteen, step)
	initial := func(j int) operand.Mem {
		if j < 12 {
			return mem(key, 4*(j-4))
		}
		return mem(iv, 4*(j-12))
	}

	c.Label("stretch")
	c.constants()
	for j := 4; j < width; j++ {
		if j != 12 {
			c.VPBROADCASTD(initial(j), c.x[j])
		}
	}
	c.VMOVDQA32(counters, c.x[12])
	c.rounds()
	c.addConstants()
	for j := 4; j < width; j++ {
		if j != 12 {
			c.VPADDD_BCST(initial(j), c.x[j], c.x[j])
		}
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
