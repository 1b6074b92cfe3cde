// Command _asm writes the assembly of package aesgcm.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	part := flag.String("part", "", "what to write: expand, vaes256 or vaes512")
	flag.Parse()
	ConstraintExpr("!purego")
	switch *part {
	case "expand":
		expand()
	case "vaes256":
		vaes256()
	case "vaes512":
		vaes512()
	default:
		log.Fatalf("no part %q", *part)
	}
	Generate()
}

// expand writes what both tiers need to expand keys.
func expand() {
	tables(1)
	subWord()
	expandPowers()
	foldBlocks()
}

// vaes512 writes a kernel for each direction and key size.
func vaes512() {
	tables(4)
	for _, k := range []kernel{
		{name: "sealAES128VAES512", rounds: 10},
		{name: "sealAES256VAES512", rounds: 14},
		{name: "openAES128VAES512", rounds: 10, open: true},
		{name: "openAES256VAES512", rounds: 14, open: true},
	} {
		k.emit()
		k.emitUniform(k.name + "Quads")
	}
}
