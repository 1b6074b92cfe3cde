// Command asm writes the assembly of package x25519 and the table of its
// fixed-base kernel.
package main

import (
	"fmt"
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
	constants map[uint64]operand.Mem
}

const command = "command: env GOWORK=off go run -C _asm ."

func main() {
	log.SetFlags(0)
	a := asm{build.NewContext(), map[uint64]operand.Mem{}}
	a.ConstraintExpr("amd64,!purego")
	a.mulKernel()
	a.squareKernel()
	a.ladderKernel()
	a.fixedBaseKernel()
	if err := a.write(); err != nil {
		log.Fatal("asm: ", err)
	}
	if err := os.WriteFile("../table_amd64.go", table(), 0o644); err != nil {
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
	text, err := printer.NewGoAsm(printer.Config{Name: command, Pkg: "x25519"}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile("../x25519_ifma_amd64.s", text, 0o644)
}

// constant is 8 bytes of read-only memory, for broadcasting operands.
func (a asm) constant(v uint64) operand.Mem {
	if m, ok := a.constants[v]; ok {
		return m
	}
	m := a.StaticGlobal(fmt.Sprintf("k%x", v))
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	a.AddDatum(0, operand.U64(v))
	a.constants[v] = m
	return m
}
