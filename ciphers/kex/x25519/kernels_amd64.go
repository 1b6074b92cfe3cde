//go:build amd64 && !purego

package x25519

// The kernels take 64-byte aligned space. dst may be an operand.

//go:noescape
func mul(dst, x, y *element)

//go:noescape
func square(dst, x *element, n int)

//go:noescape
func ladder(s *state, steps int)

//go:noescape
func fixedBase(s *state, table *[5]uint64, steps int)
