//go:build dpdk

package eal

/*
#cgo CFLAGS: -DALLOW_EXPERIMENTAL_API
#cgo pkg-config: libdpdk
#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// start runs DPDK's start on a thread of its own. DPDK pins that thread and makes
// it the main lcore; it ends with the start, so that no goroutine inherits either.
func start(args []string) (Report, error) {
	cpu, err := firstCPU()
	if err != nil {
		return Report{}, err
	}
	all := complete(args, machine{cpu: cpu, free: FreeHugePages()})
	r := Report{Version: version(), Args: all}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		done <- r.run()
	}()
	if err := <-done; err != nil {
		return r, err
	}
	r.HugePages = bool(C.eal_has_hugepages())
	return r, nil
}

// run is rte_eal_init.
func (r *Report) run() error {
	argv, free := vector(append([]string{"sealburst"}, r.Args...))
	defer free()
	var said *C.char
	code := C.eal_start(C.int(len(argv)), unsafe.SliceData(argv), &said)
	r.Log = C.GoString(said)
	C.free(unsafe.Pointer(said))
	if code != 0 {
		return &StartError{Args: r.Args, Cause: syscall.Errno(code), Said: lastLines(r.Log, 3)}
	}
	return nil
}

// vector is arguments as C has them. DPDK keeps pointers to some: what free frees
// is the vector, and never the strings.
func vector(args []string) (argv []*C.char, free func()) {
	n := len(args) + 1
	at := (**C.char)(C.calloc(C.size_t(n), C.size_t(unsafe.Sizeof((*C.char)(nil)))))
	all := unsafe.Slice(at, n)
	for i, arg := range args {
		all[i] = C.CString(arg)
	}
	return all[:len(args)], func() { C.free(unsafe.Pointer(at)) }
}

// firstCPU is the first processor that this process may run on.
func firstCPU() (int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return 0, fmt.Errorf("eal: processor affinity: %w", err)
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			return cpu, nil
		}
	}
	return 0, errors.New("eal: no processor in the affinity")
}

func plug(device string) error {
	return onDevice(device, func(c *C.char) C.int { return C.eal_plug(c) })
}

func unplug(device string) error {
	return onDevice(device, func(c *C.char) C.int { return C.eal_unplug(c) })
}

func onDevice(device string, do func(*C.char) C.int) error {
	c := C.CString(device)
	defer C.free(unsafe.Pointer(c))
	if code := do(c); code != 0 {
		return &DeviceError{device, syscall.Errno(code)}
	}
	return nil
}

func register() error {
	if code := C.eal_register(); code != 0 {
		return fmt.Errorf("eal: no more threads: %w", syscall.Errno(code))
	}
	return nil
}

func unregister() { C.eal_unregister() }

func version() string { return C.GoString(C.eal_version()) }
