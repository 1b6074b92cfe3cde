// Command asm writes the assembly of package chachapoly, one file a tier.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// asm is a file under construction.
type asm struct{ *build.Context }

var tiers = map[string]func(asm){"ifma": asm.ifma}

// z are the vector registers. Kernels name them themselves: what lives where is
// their design.
var z = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

func main() {
	log.SetFlags(0)
	tier := flag.String("tier", "", "the tier to write")
	flag.Parse()
	generate, ok := tiers[*tier]
	if !ok {
		log.Fatalf("asm: no tier %q", *tier)
	}
	a := asm{build.NewContext()}
	a.ConstraintExpr("amd64,!purego")
	generate(a)
	if err := a.write(*tier); err != nil {
		log.Fatal("asm: ", err)
	}
}

func (a asm) ifma() {
	c := newChacha(a)
	c.lanes()
	c.stretch()
	p := newPoly(a)
	p.start()
	p.blocks()
	p.seal()
	p.open()
}

// function begins a function without a frame.
func (a asm) function(name, signature, doc string) {
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.SignatureExpr(signature)
	a.Doc(name + " " + doc)
}

// param loads a parameter.
func (a asm) param(name string) reg.GPVirtual {
	r := a.GP64()
	a.Load(a.Param(name), r)
	return r
}

// done ends a function.
func (a asm) done() {
	a.VZEROUPPER()
	a.RET()
}

func mem(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// write compiles the file and puts it beside the Go files of the package.
func (a asm) write(tier string) error {
	file, err := a.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return fmt.Errorf("%s: %w", tier, err)
	}
	text, err := printer.NewGoAsm(printer.Config{
		Name: "command: env GOWORK=off go run -C _asm . -tier " + tier,
		Pkg:  "chachapoly",
	}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile("../chachapoly_"+tier+"_amd64.s", text, 0o644)
}
