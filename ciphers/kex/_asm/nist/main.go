// Command nist writes the assembly of package nist.
package main

import "github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"

// asm is the file under construction.
type asm struct{ lanes.File }

func main() {
	a := asm{lanes.New()}
	a.mulKernel()
	a.squareKernel()
	a.doubleKernel()
	a.addKernel()
	a.selectKernel()
	a.Write("nist", "../nist/p256_ifma_amd64.s")
}
