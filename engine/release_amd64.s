//go:build !purego && !race

#include "textflag.h"

// func storeRelease(at *uint64, v uint64)
TEXT ·storeRelease(SB), NOSPLIT|NOFRAME, $0-16
	PCALIGN $64 // in the middle of a cache line, a burst takes some 15 ns longer
	MOVQ at+0(FP), AX
	MOVQ v+8(FP), CX
	MOVQ CX, (AX)
	RET
