// Command ffdhe writes the assembly of package ffdhe.
package main

import "github.com/sealburst/sealburst/ciphers/kex/_asm/lanes"

// asm is the file under construction.
type asm struct{ lanes.File }

func main() {
	a := asm{lanes.New()}
	a.multiplyKernel()
	a.selectKernel()
	a.Write("ffdhe", "../ffdhe/ffdhe_ifma_amd64.s")
}
