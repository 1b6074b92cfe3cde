// Command mlkem writes the assembly of package mlkem.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// asm is the file under construction.
type asm struct{ lanes.File }

func main() {
	a := asm{lanes.New()}
	a.sampleKernel()
	a.noiseKernel()
	a.transformKernel()
	a.inverseKernel()
	a.dualKernel()
	a.dotKernel()
	a.addKeyKernel()
	a.addMessageKernel()
	a.recoverMessageKernel()
	a.encode12Kernel()
	a.decode12Kernel()
	a.compress10Kernel()
	a.compress4Kernel()
	a.decompress10Kernel()
	a.decompress4Kernel()
	a.Write("mlkem", "../mlkem/mlkem_avx512_amd64.s")
}

// A polynomial is 256 coefficients of 16 bits, signed, 8 registers of 32. What
// bounds they keep to is said at each kernel; q is 3329.
const (
	q           = 3329
	qInverse    = 62209 // 1/q modulo 2^16
	registers   = 8
	perRegister = 32
	width       = 64 // bytes
	polySize    = registers * width
	rank        = 3 // k of ML-KEM-768
)

// kernel starts a function with pointers for arguments and gives their registers.
func (a asm) kernel(name, doc string, arguments ...string) []reg.GPVirtual {
	a.begin(name, doc, "", arguments...)
	return a.pointers(arguments...)
}

// begin starts a function; more is what follows the pointers in its signature, up
// to the last parenthesis.
func (a asm) begin(name, doc, more string, pointers ...string) {
	list := ""
	for i, p := range pointers {
		if i > 0 {
			list += ", "
		}
		list += p
	}
	a.Function(name)
	a.SignatureExpr("func(" + list + " *byte" + more + ")")
	a.Doc(name + " " + doc)
}

func (a asm) pointers(names ...string) (all []reg.GPVirtual) {
	for _, n := range names {
		r := a.GP64()
		a.Load(a.Param(n), r)
		all = append(all, r)
	}
	return all
}

func (a asm) end() {
	a.VZEROUPPER()
	a.RET()
}

// part is register i of a polynomial in memory.
func part(base reg.Register, i int) operand.Mem { return operand.Mem{Base: base, Disp: i * width} }

// all fills a register with a 16-bit number.
func (a asm) all(v int, r reg.VecPhysical) reg.VecPhysical {
	w := uint64(uint16(v))
	a.VPBROADCASTQ(a.Constant(w|w<<16|w<<32|w<<48), r)
	return r
}

// all32 fills a register with a 32-bit number.
func (a asm) all32(v uint32, r reg.VecPhysical) reg.VecPhysical {
	a.VPBROADCASTQ(a.Constant(uint64(v)|uint64(v)<<32), r)
	return r
}

// words16 is a table in memory of 16-bit numbers.
func (a asm) words16(name string, v []int) operand.Mem {
	words := make([]uint64, len(v)/4)
	for i, n := range v {
		words[i/4] |= uint64(uint16(n)) << (16 * (i % 4))
	}
	return a.Table(name, words...)
}

// bytes8 likewise of bytes.
func (a asm) bytes8(name string, f func(i int) int) operand.Mem {
	words := make([]uint64, width/8)
	for i := range width {
		words[i/8] |= uint64(uint8(f(i))) << (8 * (i % 8))
	}
	return a.Table(name, words...)
}

// positive brings numbers above -q into [0, q) if they were below q.
func (a asm) positive(x, q, t reg.VecPhysical) {
	a.VPADDW(q, x, t)
	a.VPMINUW(t, x, x)
}
