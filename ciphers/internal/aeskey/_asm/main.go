// Command _asm writes the assembly of package aeskey.
package main

import (
	"log"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	log.SetFlags(0)
	c := build.NewContext()
	c.ConstraintExpr("!purego")
	subWord(c)
	if err := write(c); err != nil {
		log.Fatal("asm: ", err)
	}
}

// subWord writes the function that puts a word through the S-box of AES.
func subWord(c *build.Context) {
	c.Function("subWord")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(w uint32) uint32")
	c.Load(c.Param("w"), reg.EAX)
	c.VMOVD(reg.EAX, reg.X0)
	c.VPSHUFD(U8(0), reg.X0, reg.X0)
	c.VAESKEYGENASSIST(U8(0), reg.X0, reg.X0)
	c.VMOVD(reg.X0, reg.EAX)
	c.Store(reg.EAX, c.ReturnIndex(0))
	c.RET()
}

func write(c *build.Context) error {
	file, err := c.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{
		Name: "command: env GOWORK=off go run -C _asm main.go",
		Pkg:  "aeskey",
	}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile("../aeskey_amd64.s", text, 0o644)
}
