//go:build amd64 && !purego

package nist

// The kernels take 64-byte aligned space. dst may be an operand.

//go:noescape
func mul(dst, x, y *element)

//go:noescape
func square(dst, x *element, n int)

//go:noescape
func double(s *state, n int)

//go:noescape
func add(s *state)

//go:noescape
func choose(dst *point, table *[16]point, digits *[lanes]uint64)
