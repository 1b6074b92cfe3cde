// Command asm writes the assembly of package hpmask, one file a tier.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// asm is a file under construction.
type asm struct{ *build.Context }

var tiers = map[string]func(asm){
	"vaes512": func(a asm) { a.aesTier("VAES512", zmm) },
	"vaes256": func(a asm) { a.aesTier("VAES256", ymm) },
	"avx512":  func(a asm) { a.chachaTier("AVX512", zmm) },
	"avx2":    func(a asm) { a.chachaTier("AVX2", ymm) },
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
		Pkg:  "hpmask",
	}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile("../hpmask_"+tier+"_amd64.s", text, 0o644)
}
