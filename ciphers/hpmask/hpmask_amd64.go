//go:build amd64 && !purego

package hpmask

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// What the tiers need of the processor and the operating system.
const (
	RequiresVAES512 = cpu.AESNI | cpu.AVX | cpu.VAES | cpu.AVX512F | cpu.ZMM
	RequiresVAES256 = cpu.AESNI | cpu.AVX | cpu.AVX2 | cpu.VAES | cpu.YMM
	RequiresAVX512  = cpu.AVX | cpu.AVX512F | cpu.ZMM
	RequiresAVX2    = cpu.AVX | cpu.AVX2 | cpu.YMM
)

// What the kernels know of a Packet and a Key: each line fails to compile when it
// moves.
var (
	_ [0]byte   = [unsafe.Offsetof(ciphers.Packet{}.Buf)]byte{}
	_ [56]byte  = [unsafe.Offsetof(ciphers.Packet{}.MaskKey)]byte{}
	_ [124]byte = [unsafe.Offsetof(ciphers.Packet{}.SampleOff)]byte{}
	_ [64]byte  = [ciphers.ScheduleOffset + ciphers.SlotBulk*ciphers.StateSize]byte{}
)
