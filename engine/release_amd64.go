//go:build !purego && !race

package engine

// storeRelease stores after everything that the program did before has become
// visible. A plain store does that on this processor, where sync/atomic's also
// waits until the store itself is seen, 20 cycles; it stands in assembly, since the
// compiler may move one of Go's.
//
//go:noescape
func storeRelease(at *uint64, v uint64)
