//go:build !amd64 || purego || race

package engine

import "sync/atomic"

// storeRelease stores after everything that the program did before has become
// visible.
func storeRelease(at *uint64, v uint64) { atomic.StoreUint64(at, v) }
