//go:build amd64 && !purego

package ffdhe

// The kernels take 64-byte aligned space. dst may be an operand.

//go:noescape
func multiply(dst, x, y, m, p1 *number)

//go:noescape
func choose(dst *number, table *[16]number, digits *[lanes]uint64)
