package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

var (
	reverseTable Mem // byte order of a block, for each lane
	counterTable Mem // a chunk's counters 2, 3, 4 … modulo their number, big-endian
	furtherTable Mem // counters 2, 3, 4 … of packets in two steps, big-endian
	firstTable   Mem // counter 1, big-endian
	strideTable  Mem // a chunk's counters in the first word of each lane
	chunkTable   Mem // how many counters chunks 0, 1, 2 … of a packet have before them, big-endian
	nonceTable   Mem // the first 12 bytes of each lane
	polynomial   Mem // 1 and x^127+x^126+x^121+1 of GHASH, reflected, for each lane
	carryTable   Mem // what a doubling of H carries
	maskTable    Mem // 32 bytes of ones, then of zeros
)

const (
	chunk     = 8                    // registers in flight
	maxChunks = 1 << 16 / 64 / chunk // of a packet
)

// tables writes the constants of a tier for registers of n lanes. Where all lanes
// are alike, wide registers take one by broadcast: a wide load may lie across two
// cache lines, since the linker aligns tables to 32 bytes.
func tables(n int) {
	wrap := n * chunk
	alike := n
	if n == 4 {
		alike = 1
	}
	reverseTable = lanes("reverse", n, func(int) (lo, hi uint64) { return 0x08090a0b0c0d0e0f, 0x0001020304050607 })
	polynomial = lanes("polynomial", alike, func(int) (lo, hi uint64) { return 1, 0xc2 << 56 })
	if n == 1 {
		carryTable = lanes("carry", 1, func(int) (lo, hi uint64) { return 1, 0xc2<<56 | 1 })
		return
	}
	firstTable = lanes("first", alike, func(int) (lo, hi uint64) { return 0, 1 << 56 })
	counterTable = lanes("counters", wrap, func(i int) (lo, hi uint64) { return 0, uint64((2+i)%wrap) << 56 })
	if n == 4 {
		furtherTable = lanes("further", n*maxDouble, func(i int) (lo, hi uint64) { return 0, uint64(2+i) << 56 })
		chunkTable = lanes("chunks", maxChunks+1, func(i int) (lo, hi uint64) { return 0, uint64(bits.ReverseBytes32(uint32(i*wrap))) << 32 })
		return
	}
	strideTable = lanes("stride", n, func(int) (lo, hi uint64) { return uint64(wrap), 0 })
	nonceTable = lanes("nonceBytes", n, func(int) (lo, hi uint64) { return 1<<64 - 1, 1<<32 - 1 })
	maskTable = lanes("mask", 4, func(i int) (lo, hi uint64) {
		if i < 2 {
			return 1<<64 - 1, 1<<64 - 1
		}
		return 0, 0
	})
}

func lanes(name string, n int, lane func(i int) (lo, hi uint64)) Mem {
	table := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		lo, hi := lane(i)
		DATA(16*i, U64(lo))
		DATA(16*i+8, U64(hi))
	}
	return table
}
