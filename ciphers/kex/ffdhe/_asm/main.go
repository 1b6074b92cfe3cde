// Command asm writes the assembly of package ffdhe.
package main

import (
	"log"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// asm is a file under construction.
type asm struct {
	*build.Context
	mask operand.Mem // 2^52 - 1
}

func main() {
	log.SetFlags(0)
	a := asm{Context: build.NewContext()}
	a.ConstraintExpr("amd64,!purego")
	a.mask = a.StaticGlobal("mask52")
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	a.AddDatum(0, operand.U64(1<<52-1))
	a.multiplyKernel()
	a.selectKernel()
	if err := a.write(); err != nil {
		log.Fatal("asm: ", err)
	}
}

// write compiles the file and puts it beside the Go files of the package.
func (a asm) write() error {
	file, err := a.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "command: env GOWORK=off go run -C _asm .", Pkg: "ffdhe"}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile("../ffdhe_ifma_amd64.s", text, 0o644)
}
