//go:build dpdk

package dpdk

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"golang.org/x/sys/unix"
)

// Thread makes the calling thread, to which the caller has locked its goroutine, one of
// DPDK's, and binds it to a processor, or to none for -1. End undoes it.
func Thread(processor int) (end func(), err error) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("dpdk: %w", err)
	}
	if processor >= 0 {
		one.Set(processor)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return nil, fmt.Errorf("dpdk: processor %d: %w", processor, err)
		}
	}
	if err := eal.Register(); err != nil {
		return nil, err
	}
	return func() {
		eal.Unregister()
		_ = unix.SchedSetaffinity(0, &before) // what it had
	}, nil
}
