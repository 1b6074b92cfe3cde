package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// tryProcessor runs for a moment on a processor, and fails where that is not possible.
func tryProcessor(n int) error {
	if n < 0 {
		return unix.EINVAL
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	one.Set(n)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	return unix.SchedSetaffinity(0, &before)
}
