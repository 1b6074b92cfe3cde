package cpu_test

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

func ExampleApply() {
	have := cpu.SSSE3 | cpu.SSE41 | cpu.AESNI | cpu.YMM | cpu.AVX | cpu.AVX2 | cpu.ZMM | cpu.AVX512F | cpu.AVX512VL
	left, err := cpu.Apply(have, "-avx512f")
	fmt.Println(left, err)
	_, err = cpu.Apply(have, "+sha")
	fmt.Println(err)
	// Output:
	// ssse3,sse4.1,aesni,ymm,avx,avx2,zmm <nil>
	// cpu: cannot add feature "sha": this processor or its operating system lacks it; features can only be taken away (-sha)
}
