// Command x25519 writes the assembly of package x25519 and the table of its
// fixed-base kernel.
package main

import (
	"log"
	"os"

	"github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"
)

// asm is the file under construction.
type asm struct{ lanes.File }

func main() {
	a := asm{lanes.New()}
	a.mulKernel()
	a.squareKernel()
	a.ladderKernel()
	a.fixedBaseKernel()
	a.Write("x25519", "../x25519/x25519_ifma_amd64.s")
	if err := os.WriteFile("../x25519/table_amd64.go", table(), 0o644); err != nil {
		log.Fatal("asm: ", err)
	}
}
