//go:build ipsecmb

package ipsecmb

/*
#cgo CFLAGS: -I${SRCDIR}/../internal/staging
#cgo LDFLAGS: -lIPSec_MB
#include "native.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers/internal/staging"
)

var (
	errManager = errors.New("ipsecmb: the library gives no manager")
	errMemory  = errors.New("ipsecmb: no memory for a key")
)

// manager is the library's table of functions, with the queue of jobs that some
// of them use.
type manager struct{ c *C.IMB_MGR }

// direct is the manager whose functions are called directly. They leave it as it
// is, so that all threads share it; it lives as long as the process.
var direct = sync.OnceValue(newManager)

// newManager makes a manager that is freed when the collector finds it unused.
// Where the library fails, c is nil.
func newManager() *manager {
	m := &manager{C.ipsecmb_manager()}
	if m.c != nil {
		runtime.AddCleanup(m, func(c *C.IMB_MGR) { C.free_mb_mgr(c) }, m.c)
	}
	return m
}

func probe() error {
	if direct().c == nil {
		return errManager
	}
	return nil
}

// key is memory of C that holds a key.
type key struct {
	at   unsafe.Pointer
	size C.size_t
}

func newKey(size C.size_t) (*key, error) {
	at := C.ipsecmb_key(size)
	if at == nil {
		return nil, errMemory
	}
	return &key{at, size}, nil
}

// Release zeroes and frees the key.
func (k *key) Release() {
	C.ipsecmb_release(k.at, k.size)
	k.at = nil
}

// area is what the C side takes of a burst.
func area(a *staging.Area) *C.struct_area { return (*C.struct_area)(a.Pointer()) }

func bytes(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
